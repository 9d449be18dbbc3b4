/**
 * A wallet whose connections to Postgres break, fall silent, or belong to a process that is frozen. It answers as R-4
 * says, stays alive, works again by itself, and no bet is lost or there twice. Case 108.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { inSql } from '../support/second-postgres.ts'
import { type Answer, type Betting, isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { type SpawnOptions, spawnWallet, type WalletProcess } from '../support/wallet.ts'

const PLAYERS = 8
const BETTORS = 16
/** More than all bets together can cost: no call has a reason to be refused. */
const MONEY = 1_000_000
/** The platform gives a Place bet up after 5 s; an answer that comes a little later still says the same as none. */
const LATEST_ANSWER_MS = 5_500
const EXIT_MS = 10_000
/** Postgres ends the transactions of a silent process after 5 s; a call that waits for a lock then gets it. */
const LOCKS_KEPT_MS = 6_000
const FROZEN_MS = 7_500
const SYSTEM_ERROR = '{"code":100,"message":"System error"}'

const random = seededRandom('database faults')
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newDatabase(): Promise<string> {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database.url
}

async function newProxy(databaseUrl: string) {
  const proxy = await startTcpProxy(databaseUrl)
  cleanups.push(() => proxy.close())
  return proxy
}

async function newWallet(options: SpawnOptions): Promise<WalletProcess> {
  const wallet = await spawnWallet(options)
  cleanups.push(() => wallet.kill('SIGKILL'))
  return wallet
}

function newPlayers(wallet: WalletProcess): Promise<Player[]> {
  return Promise.all(Array.from({ length: PLAYERS }, () => playerWithMoney(wallet.operator, `${MONEY}.00`)))
}

function place(answers: Answer[]): Answer[] {
  return answers.filter(({ operation }) => operation === 'place')
}

function expectGoodAnswers(betting: Betting): void {
  expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
}

/** What was sent from then on was all accepted. */
function expectRecovered({ answers }: Betting, since: number): void {
  const later = answers.filter(({ sentAt }) => sentAt > since)
  expect(later.length).toBeGreaterThan(50)
  expect(later.filter(({ status }) => status !== 200)).toEqual([])
}

async function exitWithin(wallet: WalletProcess, signal: NodeJS.Signals): Promise<number | null | 'none'> {
  return Promise.race([wallet.kill(signal), sleep(EXIT_MS, 'none' as const, { ref: false })])
}

test('all connections terminated under load, again and again: nothing is lost, and the wallet recovers by itself', async () => {
  const databaseUrl = await newDatabase()
  const wallet = await newWallet({ databaseUrl })
  const players = await newPlayers(wallet)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
  for (let times = 0; times < 8; times++) {
    await sleep(150 + random.below(150))
    const terminated = await inSql(
      databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    expect(terminated.length).toBeGreaterThan(0)
  }
  await sleep(500)
  const recovered = performance.now()
  await sleep(500)
  await betting.stop()
  expectGoodAnswers(betting)
  expectRecovered(betting, recovered)
  expect(betting.answers.some(({ status }) => status !== 200)).toBe(true)
  await expectSameBets(wallet, players, betting.bets, MONEY)
  expect(await exitWithin(wallet, 'SIGTERM')).toBe(0)
})

test('a silent connection: Place bets are given up in time, and the same lanes work again afterwards', async () => {
  const proxy = await newProxy(await newDatabase())
  const wallet = await newWallet({ databaseUrl: proxy.url })
  const players = await newPlayers(wallet)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random, patienceMs: 15_000 })
  await sleep(500)
  proxy.silence()
  const silentSince = performance.now()
  await sleep(7_000)
  proxy.resume()
  await sleep(1_500)
  const recovered = performance.now()
  await sleep(500)
  await betting.stop()
  expectGoodAnswers(betting)
  const late = place(betting.answers).filter(({ ms }) => ms > LATEST_ANSWER_MS)
  expect(late).toEqual([])
  expect(place(betting.answers).some(({ sentAt, code }) => sentAt > silentSince && code === 100)).toBe(true)
  expectRecovered(betting, recovered)
  await expectSameBets(wallet, players, betting.bets, MONEY)
  expect(await exitWithin(wallet, 'SIGTERM')).toBe(0)
})

test('a wallet that is asked to end while its database is silent answers what it took on, and ends', async () => {
  const proxy = await newProxy(await newDatabase())
  const wallet = await newWallet({ databaseUrl: proxy.url })
  const players = await newPlayers(wallet)
  proxy.silence()
  const bets = Promise.all(players.map((player) => wallet.wire.place({ ...player, amount: 1 })))
  const reads = Promise.all(players.map(({ userId, token }) => wallet.wire.balance({ userId, token })))
  await sleep(300)
  expect(await exitWithin(wallet, 'SIGTERM')).toBe(0)
  expect((await bets).map(({ status, text }) => [status, text])).toEqual(players.map(() => [400, SYSTEM_ERROR]))
  expect((await reads).map(({ status, text }) => [status, text])).toEqual(players.map(() => [500, SYSTEM_ERROR]))
})

/** Whether the process holds locks that only the server can take from it; else it goes on. */
async function freezeInTransaction(wallet: WalletProcess, databaseUrl: string): Promise<boolean> {
  process.kill(wallet.pid, 'SIGSTOP')
  await sleep(100)
  const held = await inSql(
    databaseUrl,
    `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
       and state_change < clock_timestamp() - interval '90 milliseconds'`,
  )
  if (held.length === 0) process.kill(wallet.pid, 'SIGCONT')
  return held.length > 0
}

test('a frozen process gives its players back after a few seconds, and does nothing twice when it goes on', async () => {
  const databaseUrl = await newDatabase()
  const frozen = await newWallet({ databaseUrl })
  const keys = { PARTNER_SECRET: frozen.secret, OPERATOR_API_KEY: frozen.operatorKey }
  const other = await newWallet({ databaseUrl, env: keys })
  const players = await newPlayers(frozen)
  const load = { players, bettors: BETTORS, random }
  const both = startBetting({ ...load, wires: [frozen.wire, other.wire] })
  const beside = startBetting({ ...load, wires: [other.wire] })
  do await sleep(100 + random.below(100))
  while (!(await freezeInTransaction(frozen, databaseUrl)))
  const frozenAt = performance.now()
  await sleep(FROZEN_MS)
  process.kill(frozen.pid, 'SIGCONT')
  await sleep(500)
  await Promise.all([both.stop(), beside.stop()])

  const early = beside.answers.filter(({ sentAt }) => sentAt < frozenAt + LOCKS_KEPT_MS)
  expect(early.some(({ status }) => status !== 200)).toBe(true)
  const later = beside.answers.filter(({ sentAt }) => sentAt > frozenAt + LOCKS_KEPT_MS)
  expect(new Set(place(later).map(({ userId }) => userId)).size).toBe(PLAYERS)
  expect(later.filter(({ status }) => status !== 200)).toEqual([])
  const answers = [...both.answers, ...beside.answers].filter(({ status }) => status !== 'none')
  expect(answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
  await expectSameBets(other, players, [...both.bets, ...beside.bets], MONEY)
})
