/**
 * Webhooks are complete after kills (W-42): two wallet processes under load are killed at random,
 * and the consumer restarts.
 *
 * Invariant: the consumer gets every event at least once, each player's events in order, and all
 * events equal the ledger. A second part without kills measures the delay of an event.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedOf } from '../operator/feed-reader.ts'
import { type Consumer, startConsumer } from '../support/consumer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { createReceivedWebhooks } from '../support/received-webhooks.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

/** `PURSER_TEST_EVENTS=1000000` continues with load and kills up to this number of events. */
const LEAST_EVENTS = Number(process.env.PURSER_TEST_EVENTS ?? 0)
const LEAST_KILLS = 6
/** As many players as at a small site; the events of one player are sent one after another. */
const PLAYERS = 60
/** Each bettor places a bet and ends it before the next one. */
const BETTORS = 8
/** Milliseconds between two bets of a bettor while the delay is measured. */
const PACE_MS = 120
/** Longest time between two faults; a longer run needs fewer. */
const LONGEST_MS = LEAST_EVENTS === 0 ? 1_500 : 15_000
/** Milliseconds until every event is acknowledged after the load. */
const DONE_WITHIN_MS = 60_000 + LEAST_EVENTS
/**
 * Limit of the median on a busy machine; on an idle one nearly all events take less than 500 ms.
 */
const MEDIAN_LIMIT_MS = 2_000
const MANY_EVENTS = 500

let database: TestDatabase
let wallets: [WalletProcess, WalletProcess]
let players: Player[]
let keys: Record<string, string>
let consumer: Consumer
const recorder = createReceivedWebhooks()
/** Milliseconds from commit to consumer. */
const took: number[] = []
const random = seededRandom('webhooks and kills')

const spawn = () => spawnWallet({ databaseUrl: database.url, env: keys })

const listen = (port?: number) =>
  startConsumer(port, (told) => {
    recorder.add(told)
    took.push(told.receivedAt - Date.parse(told.data.at))
  })

beforeAll(async () => {
  database = await createDatabase()
  keys = {}
  const first = await spawn()
  keys = { PARTNER_SECRET: first.secret, OPERATOR_API_KEY: first.operatorKey }
  wallets = [first, await spawn()]
  consumer = await listen()
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
  await sleep(random.below(LONGEST_MS))
  consumer = await listen(port)
}

/**
 * Places bets and settles or rolls them back until `signal`. A call to a dead process is dropped.
 */
function play(signal: AbortSignal, paceMs = 0): Promise<unknown> {
  const bettor = async () => {
    while (!signal.aborted) {
      const { wire } = wallets[random.below(2)] as WalletProcess
      const bet = { ...(players[random.below(PLAYERS)] as Player), transactionId: randomUUID(), amount: 1 }
      const ends = random.chance(0.8) ? wire.settle : wire.rollback
      await wire.place(bet).then(
        () => ends(bet).catch(() => {}),
        () => {},
      )
      if (paceMs > 0) await sleep(paceMs)
    }
  }
  return Promise.all(Array.from({ length: BETTORS }, bettor))
}

async function lastNumber(): Promise<number> {
  const { body } = await wallets[0].operator.request('GET', '/operator/changes?after=latest')
  return Number((body as unknown as { next: string }).next)
}

/** Resolves to the number of kills. */
async function doFaults(): Promise<number> {
  const over = new AbortController()
  const playing = play(over.signal)
  let kills = 0
  for (; kills < LEAST_KILLS || (await lastNumber()) < LEAST_EVENTS; kills++) {
    await sleep(random.below(LONGEST_MS))
    if (random.chance(0.5)) await restartConsumer()
    const which = kills % 2 === 0 ? 0 : 1
    await wallets[which].kill('SIGKILL')
    wallets[which] = await spawn()
  }
  over.abort()
  await playing
  return kills
}

const doneTo = async () => {
  const { body } = await wallets[0].operator.request('GET', '/operator/webhooks/crm')
  return Number((body as unknown as { doneTo: string }).doneTo)
}

test('the webhook consumer gets every event, the events of each player in order, and the balances of the ledger', {
  timeout: 300_000 + 5 * LEAST_EVENTS,
}, async () => {
  const kills = await doFaults()
  await expect.poll(doneTo, { timeout: DONE_WITHIN_MS, interval: 500 }).toBe(await lastNumber())
  const missing: string[] = []
  let events = 0
  for await (const event of feedOf(wallets[0].operator)) {
    events += 1
    if (!recorder.has(event)) missing.push(event.id)
  }
  const again = recorder.accepted() - recorder.events()
  console.log(`${events} events, ${again} of them more than once; ${kills} kills`)
  expect(missing.slice(0, 10)).toEqual([])
  expect(events).toBe(recorder.events())
  expect(events).toBeGreaterThanOrEqual(LEAST_EVENTS)
  expect(recorder.outOfOrder.slice(0, 10)).toEqual([])
  for (const { userId } of players)
    expect([userId, recorder.balances.get(userId)]).toEqual([userId, await wallets[1].operator.balance(userId)])
  await wallets[0].auditIsClean()
})

test('an event without kills reaches the webhook consumer soon after its commit', async () => {
  took.length = 0
  const over = new AbortController()
  const playing = play(over.signal, PACE_MS)
  await expect.poll(() => took.length, { timeout: 60_000 }).toBeGreaterThan(MANY_EVENTS)
  over.abort()
  await playing
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.trunc(sorted.length * share)] ?? Number.NaN
  console.log(`${sorted.length} events: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${sorted.at(-1)} ms`)
  expect(at(0.5)).toBeLessThan(MEDIAN_LIMIT_MS)
})
