/** The recipes of docs/guides/follow-changes.md, as they stand there: each is run beside a wallet. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readFeed } from '../operator/feed-reader.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

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

/** Starts a recipe; resolves to what it has printed so far, whenever it is asked. */
function start(name: string, env: Record<string, string>): { output(): string } {
  const [, code] = new RegExp(`\`\`\`js\\n(// ${name}:.*?)\`\`\``, 's').exec(GUIDE) ?? []
  if (code === undefined) throw new Error(`there is no ${name} in the guide`)
  writeFileSync(join(folder, name), code)
  const all = { PATH: process.env.PATH ?? '', WALLET: wallet.url, KEY: wallet.operatorKey, ...env }
  const child = spawn(process.execPath, [name], { cwd: folder, env: all })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  return { output: () => text }
}

test('a live balance: what there is, and each change as it comes', async () => {
  const bettor = await playerWithMoney(wallet.operator, '100.00')
  const PORT = String(await freePort())
  const { output } = start('live-balance.mjs', { PORT })
  await expect.poll(output, { timeout: 60_000 }).toContain('listening')
  const stream = await fetch(`http://127.0.0.1:${PORT}/balance/${bettor.userId}`)
  let text = ''
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  const reading = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  })()
  await expect.poll(() => text, { timeout: 60_000 }).toContain('"amount":"100.00"')
  const change = async () => {
    await wallet.operator.deposit(bettor.userId, '1.00') // the follower may begin a moment after the first
    return text
  }
  await expect.poll(change, { timeout: 60_000, interval: 500 }).toMatch(/"amount":"1(0[1-9]|[1-9]\d)\.00"/)
  await reader?.cancel()
  await reading
})

test('a CRM by webhooks: takes what is signed, once, and nothing else', async () => {
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}/purser`
  const { body } = await wallet.operator.request('PUT', '/operator/webhooks/crm', { url, events: ['player.created'] })
  const { secret: SECRET } = body as unknown as { secret: string }
  // The recipe looks at the time of a message; the wallet's clock is that of a test.
  wallet.clock.advance(Date.now() - wallet.clock.now().getTime())
  const { output } = start('crm.mjs', { PORT, SECRET })
  await expect.poll(output, { timeout: 60_000 }).toContain('listening')
  const { userId } = await wallet.operator.createPlayer()
  await expect.poll(output, { timeout: 60_000 }).toContain(`player.created ${userId}`)
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.trunc(Date.now() / 1_000)}` }
  const forged = await fetch(url, { method: 'POST', headers: { ...headers, 'webhook-signature': 'v1,x' }, body: '{}' })
  expect(forged.status).toBe(401)
})

/** Speaks what of NATS the recipe needs; keeps what is published. */
async function startBus(port = 0) {
  const published: { subject: string; id: string; event: unknown }[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.write('INFO {"headers":true}\r\n')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      for (;;) {
        const message = /^HPUB (\S+) \d+ \d+\r\nNATS\/1\.0\r\nNats-Msg-Id: (\d+)\r\n\r\n(.*)\r\n/.exec(text)
        const other = /^(PING|CONNECT .*)\r\n/.exec(text)
        if (message !== null)
          published.push({ subject: message[1] ?? '', id: message[2] ?? '', event: JSON.parse(message[3] ?? '') })
        else if (other?.[1] === 'PING') socket.write('PONG\r\n')
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

test('the feed on NATS: all of it, also when the bus ends in between', async () => {
  const bus = await startBus()
  const env = { NATS_PORT: String(bus.port), CURSOR: join(folder, 'cursor') }
  start('to-nats.mjs', env)
  await wallet.operator.createPlayer()
  const ids = async () => (await readFeed(wallet.operator)).events.map(({ id }) => id)
  const kept = () => [...new Set(bus.published.map(({ id }) => id))]
  await expect.poll(kept, { timeout: 60_000 }).toEqual(await ids())
  bus.close()
  await wallet.operator.createPlayer()
  const again = await startBus(bus.port)
  start('to-nats.mjs', env)
  const all = () => [...new Set([...bus.published, ...again.published].map(({ id }) => id))]
  await expect.poll(all, { timeout: 60_000 }).toEqual(await ids())
  const { events } = await readFeed(wallet.operator)
  expect([...bus.published, ...again.published].at(-1)).toEqual({
    subject: `purser.${events.at(-1)?.event}`,
    id: events.at(-1)?.id,
    event: events.at(-1),
  })
  again.close()
})
