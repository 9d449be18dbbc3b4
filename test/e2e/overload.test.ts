/**
 * More calls than the wallet or its database can take. A Place bet that cannot start in time is refused in time and never
 * applied, every other call can be sent again, and what waits has a limit.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import { placeMessage, replyCode, rollbackMessage, settleMessage, sign, type WireReply } from '../support/wire.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newDatabase(): Promise<string> {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database.url
}

async function newWallet(databaseUrl: string): Promise<WalletProcess> {
  const wallet = await spawnWallet({ databaseUrl })
  cleanups.push(() => wallet.kill('SIGKILL'))
  return wallet
}

/** From outside, as a migration or a backup tool would; released by ending the connection. */
async function lockTable(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table purser.transfer in exclusive mode')
  return () => client.end()
}

async function timed(sending: Promise<WireReply>) {
  const start = performance.now()
  const reply = await sending
  return { status: reply.status, code: replyCode(reply), ms: performance.now() - start }
}

test('bets that could not start within 4 s are refused within 5 s and never applied; everything else can be repeated', async () => {
  const databaseUrl = await newDatabase()
  const wallet = await newWallet(databaseUrl)
  const players: Player[] = await Promise.all(
    Array.from({ length: 40 }, () => playerWithMoney(wallet.operator, '1000.00')),
  )
  const placed = players.flatMap((player) => [1, 2].map(() => ({ ...player, transactionId: randomUUID(), amount: 10 })))
  expect((await Promise.all(placed.map(wallet.wire.place))).every(({ status }) => status === 200)).toBe(true)
  const changes = placed.map(({ token: _, amount: __, ...bet }, number) =>
    number % 2 === 0 ? settleMessage({ ...bet, amount: 25 }) : rollbackMessage(bet),
  )
  const change = () => Promise.all(changes.map((message) => timed(wallet.wire.call('PUT', '/payment/bet', message))))

  const release = await lockTable(databaseUrl)
  const lockedAt = performance.now()
  const bets = players.flatMap((player) => [1, 2, 3, 4, 5].map(() => ({ ...player, transactionId: randomUUID() })))
  const refusing = Promise.all(bets.map((bet) => timed(wallet.wire.place({ ...bet, amount: 1 }))))
  const [refused, failed] = await Promise.all([refusing, change()])
  await sleep(Math.max(0, lockedAt + 4_500 - performance.now()))
  await release()
  expect(refused.filter(({ status, code, ms }) => status !== 400 || code !== 100 || ms > 5_000)).toEqual([])
  expect(failed.filter(({ status, code }) => status !== 500 || code !== 100)).toEqual([])

  // Time for anything that still waited for the lock to be applied after all.
  await sleep(1_000)
  for (const { userId } of players) expect(await wallet.operator.balance(userId)).toBe('980.00')
  expect((await change()).filter(({ status }) => status !== 200)).toEqual([])
  for (const { userId } of players) expect(await wallet.operator.balance(userId)).toBe('1015.00') // + 25, + 10
  const lookup = bets.map(({ userId, transactionId }) =>
    wallet.operator.request('GET', `/operator/players/${userId}/bets/${transactionId}`),
  )
  expect((await Promise.all(lookup)).filter(({ status }) => status !== 404)).toEqual([])
  await wallet.auditIsClean()
})

const MAX_WAITING = 4_000
const MAX_BATCH = 256
const TOO_MANY = 6_000
const CONNECTIONS = 10

/** Many calls on one connection, without waiting for answers: they arrive faster than with a connection each. */
async function sendAtOnce(wallet: WalletProcess, bodies: string[]): Promise<string> {
  const { hostname, port } = new URL(wallet.url)
  const socket = connect(Number(port), hostname)
  const head = (body: string) =>
    `POST /payment/bet HTTP/1.1\r\nhost: wallet\r\nx-sign-jws: ${sign(body, wallet.secret)}\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(bodies.map((body) => head(body) + body).join(''))
  let answers = ''
  for await (const chunk of socket) {
    answers += chunk
    if (countOf(answers, 'HTTP/1.1 ') === bodies.length && answers.endsWith('}')) break
  }
  return answers
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

async function metric(wallet: WalletProcess, name: string): Promise<number> {
  const text = await (await fetch(`${wallet.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}

test('a lane that is full refuses at once: neither memory nor the time of the callers is spent on what cannot start', async () => {
  const network = await startTcpProxy(await newDatabase())
  cleanups.push(() => network.close())
  const wallet = await newWallet(network.url)
  const player = await playerWithMoney(wallet.operator, '1000.00')
  network.silence()
  const bodies = Array.from({ length: TOO_MANY / CONNECTIONS }, () =>
    JSON.stringify(placeMessage({ ...player, amount: 1, metadata: [] })),
  )
  const sent = Promise.all(Array.from({ length: CONNECTIONS }, () => sendAtOnce(wallet, bodies)))
  const refused = 'wallet_calls_total{operation="place",outcome="system_error"}'
  await expect.poll(() => metric(wallet, refused), { timeout: 3_000 }).toBeGreaterThan(0)
  expect(await metric(wallet, 'wallet_queue_depth')).toBeLessThanOrEqual(MAX_WAITING + MAX_BATCH)
  const answers = (await sent).join('')
  expect(countOf(answers, 'HTTP/1.1 400 ')).toBe(TOO_MANY)
  expect(countOf(answers, '"code":100,')).toBe(TOO_MANY)
  network.resume()
  await expect.poll(async () => (await wallet.wire.place({ ...player, amount: 1 })).status).toBe(200)
  expect(await wallet.operator.balance(player.userId)).toBe('999.00')
  await wallet.auditIsClean()
})
