/**
 * The wallet's feed is complete after kills (W-40). Two wallet processes on one Postgres, both
 * under load, are killed in turn at random moments. A consumer reads the feed from either process.
 *
 * Invariant: the events equal the ledger, with no event missing or doubled and every balance right.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FeedEvent, readFeed } from '../operator/feed-reader.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { startLoad } from '../support/load.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

const KILLS = 8
const PLAYERS = 6
const BETTORS = 12
const MONEY = '1000000.00'
/** Bets before a kill. Each answered bet is at least two events. */
const BETS_A_KILL = 50
/** Longest random time of the load before a kill. */
const LONGEST_MS = 600

let database: TestDatabase
let wallets: [WalletProcess, WalletProcess]
let players: Player[]
const random = seededRandom('feed and kills')

const spawn = (env: Record<string, string> = {}) => spawnWallet({ databaseUrl: database.url, env })

beforeAll(async () => {
  database = await createDatabase()
  const first = await spawn()
  keys = { PARTNER_SECRET: first.secret, OPERATOR_API_KEY: first.operatorKey }
  wallets = [first, await spawn(keys)]
  players = await Promise.all(Array.from({ length: PLAYERS }, () => playerWithMoney(first.operator, MONEY)))
})
let keys: Record<string, string>

afterAll(async () => {
  for (const wallet of wallets ?? []) await wallet.kill('SIGKILL')
  await database?.drop()
})

/**
 * Reads until `isOver`, and then the remaining events. If a process does not answer, it reads from
 * the other process.
 */
async function consume(isOver: () => boolean): Promise<FeedEvent[]> {
  const kept: FeedEvent[] = []
  for (let turn = 0; ; turn++) {
    const wasOver = isOver()
    const after = kept.at(-1)?.id ?? '0'
    const path = `/operator/changes?limit=${1 + random.below(400)}&wait=1&after=${after}`
    const answer = await wallets[turn % 2]?.operator.request('GET', path).catch(() => undefined)
    if (answer?.status !== 200) {
      await sleep(20)
      continue
    }
    const { data } = answer.body as unknown as { data: FeedEvent[] }
    kept.push(...data)
    if (wasOver && data.length === 0) return kept
  }
}

async function killInTurn(): Promise<void> {
  const loads = wallets.map(({ wire }) => startLoad(wire, players, BETTORS, random))
  for (let kill = 0; kill < KILLS; kill++) {
    const which = kill % 2 === 0 ? 0 : 1
    await expect.poll(() => loads[which]?.bets.length).toBeGreaterThan(BETS_A_KILL)
    await sleep(random.below(LONGEST_MS))
    await wallets[which].kill('SIGKILL')
    await loads[which]?.ended
    wallets[which] = await spawn(keys)
    loads[which] = startLoad(wallets[which].wire, players, BETTORS, random)
  }
  for (const wallet of wallets) await wallet.kill('SIGKILL')
  await Promise.all(loads.map(({ ended }) => ended))
  wallets = [await spawn(keys), await spawn(keys)]
}

test(`the events of a consumer equal the ledger after ${KILLS} kills`, { timeout: 300_000 }, async () => {
  let isOver = false
  const consuming = consume(() => isOver)
  await killInTurn()
  isOver = true
  const events = await consuming
  expect(events.length).toBeGreaterThan(500)
  expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => String(i + 1)))
  expect(events).toEqual((await readFeed(wallets[1].operator, '0', 499)).events)
  for (const { userId } of players) {
    const reported = events.flatMap(({ balance }) => (balance?.userId === userId ? [balance] : []))
    const cents = reported.reduce((sum, { change = '' }) => sum + BigInt(change.replace('.', '')), 0n)
    const balance = await wallets[0].operator.balance(userId)
    expect(reported.at(-1)?.amount).toBe(balance)
    expect(cents).toBe(BigInt(balance.replace('.', '')))
    const numbers = reported.map(({ transferId = '' }) => Number.parseInt(transferId.slice(4), 10))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
  await expectBets(events)
  await wallets[0].auditIsClean()
})

const STATUS: Record<string, string> = {
  'bet.placed': 'open',
  'bet.settled': 'settled',
  'bet.resettled': 'settled',
  'bet.unsettled': 'open',
  'bet.rolled_back': 'cancelled',
}

/** Every bet of the wallet has an event, and the last one shows its status. */
async function expectBets(events: readonly FeedEvent[]): Promise<void> {
  const reported = new Map(
    events.flatMap(({ event, bet }) => (bet ? [[bet.transactionId, STATUS[event]] as const] : [])),
  )
  const found = new Map<unknown, unknown>()
  let after: string | null = ''
  while (after !== null) {
    const query: string = `limit=500${after === '' ? '' : `&after=${after}`}`
    const { body } = await wallets[0].operator.request('GET', `/operator/bets?${query}`)
    const page = body as unknown as { data: { transactionId: string; status: string }[]; next: string | null }
    for (const { transactionId, status } of page.data) if (status !== 'unknown') found.set(transactionId, status)
    after = page.next
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(reported))
}
