/**
 * A wallet continues when its Postgres connections break or fall silent, or when its own process is
 * frozen (case 108).
 *
 * Invariant: it answers by R-4 (a Place bet 400/100, any other call 500), recovers by itself, and
 * no bet is lost or duplicated.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  exitOf,
  lateMs,
  latestAnswerMs,
  MONEY,
  newDatabase,
  newNetwork,
  newPlayers,
  newWallet,
  queueDepth,
} from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { inSql } from '../support/second-postgres.ts'
import { type Answer, type Betting, isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'
import type { WalletProcess } from '../support/wallet.ts'
import { rollbackMessage, type WireReply } from '../support/wire.ts'

const PLAYERS = 8
const BETTORS = 16
/** Postgres ends the transactions of a silent process after 5 s. Later calls then get the locks. */
const LOCKS_KEPT_MS = 8_000
const SYSTEM_ERROR = '{"code":100,"message":"System error"}'

/**
 * The rules path reads, decides and writes, so a fault can come in between. The fast path uses the
 * database only once per batch.
 */
const JUDGED = { PURSER_FAST_PATH: 'off' }

const random = seededRandom('database faults')

function place(answers: Answer[]): Answer[] {
  return answers.filter(({ operation }) => operation === 'place')
}

function expectGoodAnswers(betting: Betting): void {
  expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
}

/** Number of players with an accepted bet that was placed after `since`. */
function served({ answers }: Betting, since: number): number {
  const bets = place(answers).filter(({ sentAt, status }) => sentAt > since && status === 200)
  return new Set(bets.map(({ userId }) => userId)).size
}

/**
 * True if the frozen process holds locks for which another process waits. Otherwise the process is
 * resumed.
 */
async function freezeWithLocks(wallet: WalletProcess, databaseUrl: string, name: string): Promise<boolean> {
  process.kill(wallet.pid, 'SIGSTOP')
  await sleep(100) // its sent statements are complete by then
  if ((await sessionsOf(databaseUrl, name)).length > 0 && (await blocksOthers(databaseUrl, name))) return true
  process.kill(wallet.pid, 'SIGCONT')
  return false
}

function sessionsOf(databaseUrl: string, name: string) {
  return inSql(
    databaseUrl,
    `select from pg_stat_activity where application_name = '${name}' and state = 'idle in transaction'`,
  )
}

/**
 * Polls until a session waits for a lock of the process, or until the server has ended its
 * transaction.
 */
async function blocksOthers(databaseUrl: string, name: string): Promise<boolean> {
  const waiting = `select from pg_stat_activity waits join pg_stat_activity holds on holds.pid = any(pg_blocking_pids(waits.pid))
    where holds.application_name = '${name}' and waits.application_name <> '${name}'`
  while ((await inSql(databaseUrl, waiting)).length === 0) {
    if ((await sessionsOf(databaseUrl, name)).length === 0) return false
    await sleep(20)
  }
  return true
}

async function failsInTime(sending: Promise<WireReply>, status: 400 | 500): Promise<void> {
  const startedAt = performance.now()
  const reply = await sending
  expect([reply.status, reply.text]).toEqual([status, SYSTEM_ERROR])
  expect(performance.now() - startedAt).toBeLessThan(5_000 + lateMs())
}

describe.concurrent('a wallet', () => {
  test('loses nothing and recovers when all its connections are terminated repeatedly under load', async (context) => {
    const databaseUrl = await newDatabase(context)
    const wallet = await newWallet(context, { databaseUrl })
    const players = await newPlayers(wallet, PLAYERS)
    const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
    let terminated = 0
    const wasMet = () => betting.answers.some(({ status }) => status !== 200)
    for (let times = 0; times < 8 || terminated <= 8 || !wasMet(); times++) {
      await sleep(150 + random.below(150))
      const connections = await inSql(
        databaseUrl,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      terminated += connections.length
    }
    await betting.recovered(100)
    await betting.stop()
    expectGoodAnswers(betting)
    await expectSameBets(wallet, players, betting.bets, MONEY)
    expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
  })

  test('gives Place bets up in time on a silent connection, and the same lanes work again afterwards', async (context) => {
    const network = await newNetwork(context, await newDatabase(context))
    const wallet = await newWallet(context, { databaseUrl: network.url })
    const players = await newPlayers(wallet, PLAYERS)
    const load = { wires: [wallet.wire], players, bettors: BETTORS, random, patienceMs: 15_000 }
    const before = startBetting(load)
    await before.recovered(50)
    network.silence()
    await context.expect.poll(() => queueDepth(wallet)).toBeGreaterThan(0)
    // begins with Place bets that arrive while a batch already hangs
    const meanwhile = startBetting(load)
    // and continues with their rollbacks
    await context.expect.poll(() => place(meanwhile.answers).length).toBe(BETTORS)
    const first = place(meanwhile.answers)
    network.resume()
    await meanwhile.recovered(100)
    await Promise.all([before.stop(), meanwhile.stop()])
    expect(first.map(({ code }) => code)).toEqual(Array.from({ length: BETTORS }, () => 100))
    for (const betting of [before, meanwhile]) {
      expectGoodAnswers(betting)
      expect(place(betting.answers).filter(({ ms }) => ms > latestAnswerMs())).toEqual([])
    }
    await expectSameBets(wallet, players, [...before.bets, ...meanwhile.bets], MONEY)
    expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
  })

  test('stops with all accepted calls answered while its database is silent', async (context) => {
    const network = await newNetwork(context, await newDatabase(context))
    const wallet = await newWallet(context, { databaseUrl: network.url })
    const players = await newPlayers(wallet, PLAYERS)
    network.silence()
    const answers = Promise.all([
      ...players.map(({ userId, token }) => wallet.wire.balance({ userId, token })),
      ...players.map((player) => wallet.wire.place({ ...player, amount: 1 })),
    ])
    const ending = context.expect
      .poll(() => queueDepth(wallet), { timeout: LOCKS_KEPT_MS })
      .toBe(PLAYERS) // it has read the calls
      .then(() => exitOf(wallet, 'SIGTERM'))
    expect((await answers).map(({ status, text }) => [status, text])).toEqual([
      ...players.map(() => [500, SYSTEM_ERROR]),
      ...players.map(() => [400, SYSTEM_ERROR]),
    ])
    expect(await ending).toBe(0)
  })

  test('answers no call late when the database answers late, and undoes what was uncertain', async (context) => {
    const network = await newNetwork(context, await newDatabase(context))
    const wallet = await newWallet(context, { databaseUrl: network.url })
    const [known, unknown] = (await newPlayers(wallet, 2)) as [Player, Player]
    expect((await wallet.wire.place({ ...known, amount: 1 })).status).toBe(200)
    network.delay(2_600) // longer than a batch waits; two in a row take too long for a balance
    const bet = { ...unknown, transactionId: randomUUID() }
    await failsInTime(wallet.wire.place({ ...bet, amount: 1 }), 400)
    await failsInTime(wallet.wire.balance({ ...unknown }), 500)
    network.delay(0)
    const rollback = () => wallet.wire.call('PUT', '/payment/bet', rollbackMessage(bet))
    await context.expect.poll(async () => (await rollback()).status).toBe(200)
    expect(await wallet.operator.balance(unknown.userId)).toBe(`${MONEY}.00`)
    await wallet.auditIsClean()
  })

  test('releases its players a few seconds after its process freezes, and applies nothing twice when it resumes', async (context) => {
    const databaseUrl = await newDatabase(context)
    const name = `frozen-${random.below(1_000_000)}`
    const frozen = await newWallet(context, { databaseUrl: `${databaseUrl}?application_name=${name}`, env: JUDGED })
    const keys = { PARTNER_SECRET: frozen.secret, OPERATOR_API_KEY: frozen.operatorKey }
    const other = await newWallet(context, { databaseUrl, env: keys })
    const players = await newPlayers(frozen, PLAYERS)
    const load = { players, bettors: BETTORS, random }
    const both = startBetting({ ...load, wires: [frozen.wire, other.wire] })
    const otherLoad = startBetting({ ...load, wires: [other.wire] })
    do await sleep(100 + random.below(100))
    while (!(await freezeWithLocks(frozen, databaseUrl, name)))
    const frozenAt = performance.now()
    await context.expect.poll(() => served(otherLoad, frozenAt)).toBe(PLAYERS)
    process.kill(frozen.pid, 'SIGCONT')
    await Promise.all([both.recovered(100), otherLoad.recovered(100)])
    await Promise.all([both.stop(), otherLoad.stop()])
    const answers = [...both.answers, ...otherLoad.answers].filter(({ status }) => status !== 'none')
    expect(answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
    await expectSameBets(other, players, [...both.bets, ...otherLoad.bets], MONEY)
  })
})
