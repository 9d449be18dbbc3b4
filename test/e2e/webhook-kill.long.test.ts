/**
 * Two wallet processes under load that are killed at random, and a consumer that goes down and comes up again: in the end it has every event
 * at least once, each player's in their order, and what it has is the ledger (W-42). Then, with nothing killed, how long an event takes.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groupBy } from '../../src/runtime/group.ts'
import { readFeed, type ToldEvent } from '../operator/feed-reader.ts'
import { type Consumer, startConsumer, type Told } from '../support/consumer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

const KILLS = 6
/** Events of one player go one after another: as many play as do at a small site. */
const PLAYERS = 60
/** Milliseconds between two bets. */
const PACE_MS = 15
/** Between two faults at most. */
const LONGEST_MS = 1_500
/** Of half of the events, on a machine that does other things too; on a quiet one nearly all of them take less than 500 ms. */
const SOON_MS = 2_000
const MANY_EVENTS = 500

let database: TestDatabase
let wallets: [WalletProcess, WalletProcess]
let players: Player[]
let keys: Record<string, string>
let consumer: Consumer
const told: Told[] = []
const random = seededRandom('webhooks and kills')

const spawn = () => spawnWallet({ databaseUrl: database.url, env: keys })

beforeAll(async () => {
  database = await createDatabase()
  keys = {}
  const first = await spawn()
  keys = { PARTNER_SECRET: first.secret, OPERATOR_API_KEY: first.operatorKey }
  wallets = [first, await spawn()]
  consumer = await startConsumer()
  const body = { url: consumer.url, after: '0' }
  expect((await first.operator.request('PUT', '/operator/webhooks/crm', body)).status).toBe(201)
  players = []
  while (players.length < PLAYERS) players.push(await playerWithMoney(first.operator, '1000000.00'))
})
afterAll(async () => {
  for (const wallet of wallets ?? []) await wallet.kill('SIGKILL')
  await consumer?.close()
  await database?.drop()
})

async function restartConsumer(): Promise<void> {
  const { port } = consumer
  await consumer.close()
  told.push(...consumer.told)
  await sleep(random.below(LONGEST_MS))
  consumer = await startConsumer(port)
}

/** Bets at a steady pace, settled or rolled back, until `signal`; a call that meets a dead process is forgotten. */
async function play(signal: AbortSignal): Promise<void> {
  const all: Promise<unknown>[] = []
  while (!signal.aborted) {
    const { wire } = wallets[random.below(2)] as WalletProcess
    const player = players[random.below(PLAYERS)] as Player
    const bet = { ...player, transactionId: randomUUID() }
    const ends = random.chance(0.8) ? wire.settle : wire.rollback
    all.push(
      wire
        .place({ ...bet, amount: 1 })
        .then(() => ends({ ...bet, amount: 1 }))
        .catch(() => {}),
    )
    await sleep(PACE_MS)
  }
  await Promise.all(all)
}

async function doFaults(): Promise<void> {
  const over = new AbortController()
  const playing = play(over.signal)
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(random.below(LONGEST_MS))
    if (random.chance(0.5)) await restartConsumer()
    const which = kill % 2 === 0 ? 0 : 1
    await wallets[which].kill('SIGKILL')
    wallets[which] = await spawn()
  }
  over.abort()
  await playing
}

const playerOf = ({ bet, balance, player, session }: ToldEvent) => String((bet ?? balance ?? player ?? session)?.userId)

test('the consumer has every event, each player’s in order, and the balances of the ledger', {
  timeout: 180_000,
}, async () => {
  await doFaults()
  const { events, next } = await readFeed(wallets[0].operator, '0')
  await consumer.until(1, ({ data }) => data.id === next)
  const done = async () => {
    const { body } = await wallets[0].operator.request('GET', '/operator/webhooks/crm')
    return (body as unknown as { doneTo: string }).doneTo
  }
  await expect.poll(done, { timeout: 60_000 }).toBe(next)
  const accepted = [...told, ...consumer.told].filter(({ status }) => status === 200)
  const first = new Map(accepted.toReversed().map(({ data }) => [data.id, data]))
  const inOrder = [...new Map(accepted.map(({ data }) => [data.id, data])).values()]
  expect(first.size).toBe(events.length)
  expect(events.map(({ id }) => first.get(id))).toEqual(events)
  const ofPlayer = groupBy(inOrder, playerOf)
  for (const [userId, its] of ofPlayer) {
    const ids = its.map(({ id }) => Number.parseInt(id, 10))
    expect(ids, userId).toEqual(ids.toSorted((a, b) => a - b))
    const balance = its.findLast(({ balance: one }) => one?.currency === 'EUR')?.balance?.amount
    expect(balance, userId).toBe(await wallets[1].operator.balance(userId))
  }
  console.log(`${events.length} events, ${accepted.length - first.size} of them more than once`)
  await wallets[0].auditIsClean()
})

test('with nothing killed, an event reaches the consumer soon after its commit', async () => {
  const before = consumer.told.length
  const over = new AbortController()
  const playing = play(over.signal)
  await expect.poll(() => consumer.told.length - before).toBeGreaterThan(MANY_EVENTS)
  over.abort()
  await playing
  const took = consumer.told.slice(before).map(({ data, receivedAt }) => receivedAt - Date.parse(data.at))
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.trunc(took.length * share)] ?? Number.NaN
  console.log(`${took.length} events: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${took.at(-1)} ms`)
  expect(at(0.5)).toBeLessThan(SOON_MS)
})
