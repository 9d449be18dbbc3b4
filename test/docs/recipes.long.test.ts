/** Runs each recipe of docs/guides/follow-changes.md, copied from the page, against a wallet. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readFeed } from '../../packages/server/test/operator/feed-reader.ts'
import { playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { startWallet, type TestWallet } from '../../packages/server/test/support/wallet.ts'

const GUIDE = readFileSync(new URL('../../docs/guides/follow-changes.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'purser-recipes-'))
let wallet: TestWallet
const running: ChildProcess[] = []

beforeAll(async () => {
  wallet = await startWallet()
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.kill()) await once(child, 'exit')
  }
  await wallet.auditIsClean()
})
afterAll(async () => {
  await wallet.stop()
  rmSync(folder, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** `output` returns the text printed up to now; `runs` is true while the process lives. */
function start(name: string, env: Record<string, string>): { output(): string; runs(): boolean } {
  const [, code] = new RegExp(`\`\`\`js\\n(// ${name}:.*?)\`\`\``, 's').exec(GUIDE) ?? []
  if (code === undefined) throw new Error(`there is no ${name} in the guide`)
  writeFileSync(join(folder, name), code)
  const all = { PATH: process.env.PATH ?? '', WALLET: wallet.url, KEY: wallet.operatorKey, ...env }
  const child = spawn(process.execPath, [name], { cwd: folder, env: all })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  return { output: () => text, runs: () => child.exitCode === null }
}

/** Returns a function for the text received up to now. */
async function follow(url: string): Promise<() => string> {
  const stream = await fetch(url)
  let text = ''
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  void (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  })().catch(() => {})
  onTestFinished(async () => void (await reader?.cancel().catch(() => {})))
  return () => text
}

test('the recipe of a live balance shows the balance and each change when it comes', async () => {
  const bettor = await playerWithMoney(wallet.operator, '100.00')
  const PORT = String(await freePort())
  const { output } = start('live-balance.mjs', { PORT })
  await expect.poll(output, { timeout: 60_000 }).toContain('listening')
  for (const unknownId of ['nobody', '%', '..%2F..%2Fkeys%3F'])
    await fetch(`http://127.0.0.1:${PORT}/balance/${unknownId}`).catch(() => undefined) // the recipe must survive it
  const text = await follow(`http://127.0.0.1:${PORT}/balance/${bettor.userId}`)
  await expect.poll(text, { timeout: 60_000 }).toContain('"amount":"100.00"')
  const change = async () => {
    await wallet.operator.deposit(bettor.userId, '1.00') // the follower may start after the first deposit
    return text()
  }
  await expect.poll(change, { timeout: 60_000, interval: 500 }).toMatch(/"amount":"1(0[1-9]|[1-9]\d)\.00"/)
})

test('the recipe of a live balance shows no old balance when it changes during the first read', async () => {
  const balance = (amount: string, userId = 'alice') => ({ userId, currency: 'EUR', amount })
  const waiting: ServerResponse[] = []
  const [changes, first] = [
    [balance('90.00'), balance('1.00', 'bob')],
    [balance('100.00'), { ...balance('7.00'), currency: 'USD' }],
  ]
  const answer = (response: ServerResponse, body: object) => response.end(JSON.stringify(body))
  const server = createHttpServer(({ url = '' }, response) => {
    if (url.includes('/balances'))
      waiting.push(response) // answered after the change was sent
    else if (waiting.length === 0 || url.includes('after=1'))
      setTimeout(() => answer(response, { data: [], next: url.includes('after=1') ? '1' : '0' }), 50)
    else answer(response, { data: changes.map((one) => ({ event: 'balance.changed', balance: one })), next: '1' })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const PORT = String(await freePort())
  const { output } = start('live-balance.mjs', {
    PORT,
    WALLET: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  await expect.poll(output, { timeout: 60_000 }).toContain('listening')
  const text = await follow(`http://127.0.0.1:${PORT}/balance/alice`)
  await expect.poll(text, { timeout: 60_000 }).toContain('90.00')
  for (const response of waiting) answer(response, { balances: first })
  await expect.poll(text, { timeout: 60_000 }).toContain('7.00')
  expect(text().match(/"amount":"[\d.]+"/g)).toEqual(['"amount":"90.00"', '"amount":"7.00"'])
})

test('the recipe of a CRM accepts each signed webhook once and nothing else', async () => {
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}/purser`
  const { body } = await wallet.operator.request('PUT', '/operator/webhooks/crm', { url, events: ['player.created'] })
  const { secret: SECRET } = body as unknown as { secret: string }
  // The recipe checks the time of a message, so the wallet's test clock moves to the present.
  wallet.clock.advance(Date.now() - wallet.clock.now().getTime())
  const { output, runs } = start('crm.mjs', { PORT, SECRET })
  await expect.poll(output, { timeout: 60_000 }).toContain('listening')
  const { userId } = await wallet.operator.createPlayer()
  await expect.poll(output, { timeout: 60_000 }).toContain(`player.created ${userId}`)
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.trunc(Date.now() / 1_000)}` }
  const forged = (signature: string) =>
    fetch(url, { method: 'POST', headers: { ...headers, 'webhook-signature': signature }, body: '{}' })
  expect((await forged('v1,x')).status).toBe(401)
  expect((await forged(`v1,${'é'.repeat(44)}`)).status).toBe(401) // same number of letters as a good signature, more bytes
  const broken = request(url, { method: 'POST', headers: { 'content-length': '100' } }).on('error', () => {})
  broken.write('{')
  await new Promise((gone) => broken.once('close', gone).once('socket', () => setTimeout(() => broken.destroy(), 100)))
  expect((await forged('v1,x')).status).toBe(401)
  expect(runs()).toBe(true)
})

/**
 * A minimal NATS server that keeps published messages. `stores` decides if its JetStream
 * acknowledges them.
 */
async function startBus(port = 0, stores = true) {
  const published: { subject: string; id: string; event: { id: string } }[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.write('INFO {"headers":true}\r\n')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      for (;;) {
        const message = /^HPUB (\S+) (?:(\S+) )?\d+ \d+\r\nNATS\/1\.0\r\nNats-Msg-Id: (\S+)\r\n\r\n(.*)\r\n/.exec(text)
        const other = /^(PING|CONNECT .*|SUB .*)\r\n/.exec(text)
        if (message !== null) {
          const [, subject = '', inbox, id = '', event = ''] = message
          published.push({ subject, id, event: JSON.parse(event) })
          const ack = JSON.stringify({ stream: 'PURSER', seq: published.length })
          const [half, rest] = [`MSG ${inbox} 1 ${ack.length}\r\n${ack.slice(0, 9)}`, `${ack.slice(9)}\r\n`]
          if (stores && inbox !== undefined && socket.write(half)) setImmediate(() => socket.write(rest))
        } else if (other?.[1] === 'PING') socket.write('PONG\r\n')
        else if (other === null) return
        text = text.slice((message ?? other)?.[0].length)
      }
    })
    socket.on('error', () => {})
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { published, port: (server.address() as { port: number }).port, close }
}

test('the recipe of the feed on NATS delivers all events although the bus restarts in between', async () => {
  const bus = await startBus()
  const env = { NATS_PORT: String(bus.port), CURSOR: join(folder, 'cursor') }
  start('to-nats.mjs', env)
  await wallet.operator.createPlayer()
  const ids = async () => (await readFeed(wallet.operator)).events.map(({ id }) => id)
  const kept = () => [...new Set(bus.published.map(({ event }) => event.id))]
  await expect.poll(kept, { timeout: 60_000 }).toEqual(await ids())
  bus.close()
  await wallet.operator.createPlayer()
  const again = await startBus(bus.port)
  start('to-nats.mjs', env)
  const all = () => [...new Set([...bus.published, ...again.published].map(({ event }) => event.id))]
  await expect.poll(all, { timeout: 60_000 }).toEqual(await ids())
  const { events } = await readFeed(wallet.operator)
  const [last, sent] = [events.at(-1), [...bus.published, ...again.published]]
  // After a failover, another event can have the same number.
  const id = `${last?.id}-${Date.parse(String(last?.at))}`
  expect(sent.at(-1)).toEqual({ subject: `purser.${last?.event}`, id, event: last })
  again.close()
})

test('the recipe of the feed on NATS keeps its cursor when the bus ends before it has stored the events', async () => {
  const bus = await startBus(0, false)
  const CURSOR = join(folder, 'cursor-of-the-lost')
  const { runs } = start('to-nats.mjs', { NATS_PORT: String(bus.port), CURSOR })
  const { events } = await readFeed(wallet.operator)
  await expect.poll(() => bus.published.length, { timeout: 60_000 }).toBe(events.length)
  bus.close()
  await expect.poll(runs, { timeout: 60_000 }).toBe(false)
  expect(existsSync(CURSOR)).toBe(false)
})
