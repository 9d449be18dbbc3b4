/**
 * The platform is killed with -9 at every point of a bet's life (C-1, C-6, P16).
 *
 * Invariant: at the end every bet has a final state, every rollback and settle has arrived in
 * order, and wallet and platform agree.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type BothSides, bothSides } from '../support/both-sides.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  answerWith,
  type Behaviour,
  dropAfter,
  dropBefore,
  type Exchange,
  type FaultyWallet,
  honest,
  neverAnswer,
  startFaultyWallet,
} from '../support/faulty-wallet.ts'
import { playerWithMoney } from '../support/operator.ts'
import { type PlatformProcess, spawnPlatform } from '../support/platform-process.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

/** A dead process's Place bet is given up after its lease of 8 s, and then rolled back. */
const QUIET_WITHIN_MS = 60_000
/** Milliseconds for one intermediate state. */
const DELIVERY_TIMEOUT_MS = 30_000
/** Age in milliseconds from which a held call may time out before its answer on a busy machine. */
const FRESH_MS = 2_000
const TIMEOUT = { timeout: 300_000 }
const PARTNER = 'ours'

let database: TestDatabase
let wallet: WalletProcess
let network: FaultyWallet
let platform: PlatformProcess
let both: BothSides
let frame: string

beforeAll(async () => {
  database = await createDatabase()
  wallet = await spawnWallet({ databaseUrl: database.url })
  network = await startFaultyWallet(wallet.url)
  both = await bothSides(database.url)
  platform = await spawnPlatform(database.url)
  await platform.api.savePartner({ url: network.url, secret: wallet.secret }, PARTNER)
  const { token } = await playerWithMoney(wallet.operator, '1000000.00')
  frame = await platform.api.loadFrame(PARTNER, token)
})

afterAll(async () => {
  await platform?.kill('SIGKILL')
  await network?.close()
  await wallet?.kill('SIGKILL')
  await both?.close()
  await database?.drop()
})

async function restart(): Promise<void> {
  platform = await spawnPlatform(database.url)
}

async function expectAgreement(): Promise<void> {
  await both.quiet(QUIET_WITHIN_MS)
  expect(await both.disagreements()).toEqual([])
  expect(await both.outOfOrder()).toEqual([])
  expect(await both.query("select * from platform.delivery where status = 'stuck'")).toEqual([])
  await wallet.auditIsClean()
}

/** Behaviours by bet and operation; other calls are forwarded. */
const scripts = new Map<string, Behaviour>()
/** Held calls by bet and operation. */
const held = new Map<string, Exchange>()
const key = (betId: string, operation: string) => `${betId} ${operation}`

const hold: Behaviour = async (exchange) => {
  held.set(key(exchange.call.betId, exchange.call.operation), exchange)
  await exchange.untilLeft()
}
const holdAnswer: Behaviour = async (exchange) => {
  await exchange.forward()
  await hold(exchange)
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`never came: ${what}`)
    await sleep(5)
  }
}

/** Resolves to the id of the next Place bet that arrives, and leaves it in flight. */
async function placeAndLeave(behaviour: Behaviour): Promise<string> {
  const before = network.calls.length
  network.behave = (call) => (call.operation === 'place' ? behaviour : scripted(call))
  platform.api.place(frame).catch(() => {}) // the process dies before it answers
  const arrived = () => network.calls.slice(before).find(({ operation }) => operation === 'place')
  await until('a Place bet', () => arrived() !== undefined)
  network.behave = scripted
  return arrived()?.betId ?? ''
}

const scripted: FaultyWallet['behave'] = ({ betId, operation }) => scripts.get(key(betId, operation)) ?? honest

async function acceptedBet(): Promise<string> {
  const { betId, status } = await platform.api.place(frame)
  expect(status).toBe('accepted')
  return betId
}

/** A cancelled bet whose rollback gets this behaviour. */
async function betWithRollback(behaviour: Behaviour): Promise<string> {
  const betId = await acceptedBet()
  scripts.set(key(betId, 'rollback'), behaviour)
  await platform.api.cancel(betId, 8)
  return betId
}

/**
 * A bet that is settled, corrected and unsettled several times; the first settle gets this
 * behaviour.
 */
async function betWithResults(behaviour: Behaviour): Promise<string> {
  const betId = await acceptedBet()
  scripts.set(key(betId, 'settle'), behaviour)
  await platform.api.settle(betId, 'won', '25.00')
  await platform.api.unsettle(betId)
  await platform.api.settle(betId, 'refund', '10.00')
  await platform.api.settle(betId, 'won', '17.50')
  return betId
}

async function betWithUnsettle(behaviour: Behaviour): Promise<string> {
  const betId = await acceptedBet()
  scripts.set(key(betId, 'unsettle'), behaviour)
  await platform.api.settle(betId, 'won', '25.00')
  await platform.api.unsettle(betId)
  return betId
}

const isHeld = (betId: string, operation: string) =>
  until(`the ${operation} of ${betId}`, () => held.has(key(betId, operation)))

/** True if the call is held, and its caller waits some seconds more until its time-out of 5 s. */
function isFresh(betId: string | undefined, operation: string): boolean {
  const call = held.get(key(betId ?? '', operation))?.call
  return call !== undefined && call.end === undefined && performance.now() - call.startedAt < FRESH_MS
}

async function stateOf(betId: string): Promise<string> {
  const { status, reason, payout } = await platform.api.bet(betId)
  return [status, reason, payout].filter(Boolean).join(', ')
}

/**
 * A partner that this process has not called yet, so its address is read after the intent is
 * committed.
 */
async function frameOfAnUnusedPartner(): Promise<string> {
  await both.query(`insert into platform.partner select 'unused', base_url, secrets, created_at from platform.partner`)
  const [row] = await both.query<{ id: string }>(`
    insert into platform.frame_session select gen_random_uuid(), 'unused', token, user_id, operator_user, currency, profile, created_at
    from platform.frame_session limit 1 returning frame_session_id as id`)
  return row?.id ?? ''
}

/**
 * A bet whose process stops between the commit of the intent and the call, because the partners are
 * locked.
 */
async function betBeforeItsCall(locks: pg.Client): Promise<string> {
  const unused = await frameOfAnUnusedPartner()
  await locks.query('begin; lock table platform.partner in access exclusive mode')
  platform.api.place(unused).catch(() => {})
  const placing = "select bet_id from platform.bet where partner_id = 'unused' and status = 'placing'"
  await until('the intent', async () => (await both.query(placing)).length === 1)
  return (await both.query<{ bet_id: string }>(placing))[0]?.bet_id ?? ''
}

/**
 * A bet whose acceptance cannot be recorded, because its row is locked. The lock ends with the
 * connection.
 */
async function betBeforeItsRecord(locks: pg.Client): Promise<string> {
  const betId = await placeAndLeave(async (exchange) => {
    await locks.query(`begin; select from platform.bet where bet_id = '${exchange.call.betId}' for update`)
    await hold(exchange)
  })
  await isHeld(betId, 'place')
  return betId
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {}) // a failed test may not end its connection
  await client.connect()
  onTestFinished(() => client.end()) // otherwise its locks would block the next test
  return client
}

test('bets at every point of their lifecycle survive a kill -9 of the platform', TIMEOUT, async () => {
  const [tableLock, rowLock] = [await connect(), await connect()]
  network.behave = scripted
  // Rollbacks and settles in flight, with and without an effect in the wallet, and waiting ones.
  const cancelled = [
    await betWithRollback(answerWith(503)),
    await betWithRollback(hold),
    await betWithRollback(holdAnswer),
  ]
  const settled = [
    await betWithResults(answerWith(503)),
    await betWithResults(hold),
    await betWithResults(holdAnswer),
    await betWithResults(dropAfter),
  ]
  const reopened = [await betWithUnsettle(hold), await betWithUnsettle(holdAnswer)]
  await Promise.all([
    ...cancelled.slice(1).map((betId) => isHeld(betId, 'rollback')),
    ...settled.slice(1, 3).map((betId) => isHeld(betId, 'settle')),
    ...reopened.map((betId) => isHeld(betId, 'unsettle')),
  ])
  await until('attempts with time left', () => isFresh(settled[2], 'settle') && isFresh(cancelled[2], 'rollback'))
  // Place bets in flight.
  const unheard = await placeAndLeave(hold)
  const late = await placeAndLeave(hold)
  const applied = await placeAndLeave(holdAnswer)
  await isHeld(applied, 'place')
  const unrecorded = await betBeforeItsRecord(rowLock)
  // From here on nothing can be recorded, so received answers die with the process.
  const uncalled = await betBeforeItsCall(tableLock)
  for (const [betId, operation] of [
    [unrecorded, 'place'],
    [settled[2] ?? '', 'settle'],
    [cancelled[2] ?? '', 'rollback'],
  ] as const) {
    const exchange = held.get(key(betId, operation))
    exchange?.answer(await exchange.forward())
    await until('the answer to be read', () => exchange?.call.end === 'answered')
  }
  await sleep(50)
  await platform.kill('SIGKILL')

  expect(await both.query(`select from platform.bet where status = 'placing'`)).toHaveLength(5)
  expect(network.calls.filter(({ betId }) => betId === uncalled)).toEqual([])
  await Promise.all([tableLock.end(), rowLock.end()])
  await held.get(key(late, 'place'))?.forward() // a call of a dead process can still arrive
  scripts.clear()
  await restart()
  await expectAgreement()
  for (const betId of cancelled) expect(await stateOf(betId)).toBe('cancelled, rollback 8')
  for (const betId of settled) expect(await stateOf(betId)).toBe('settled, 17.50')
  for (const betId of reopened) expect(await stateOf(betId)).toBe('accepted')
  for (const betId of [unheard, late, applied, unrecorded, uncalled])
    expect(await stateOf(betId)).toBe('cancelled, rollback 50')
})

/** Further faults of any call during the load. */
const FAULTS: readonly Behaviour[] = [dropBefore, dropAfter, answerWith(500), answerWith(200, '{'), neverAnswer]
const KILLS = 3
const BETTORS = 10
const BETS_PER_BETTOR = 12
/** Longest random time to the kill, after each bettor has placed two bets. */
const LONGEST_MS = 1_200

describe('a platform under load', () => {
  const random = seededRandom('platform kill')

  const placed = () => network.calls.filter(({ operation }) => operation === 'place').length

  /** Places bets and decides them until the process is dead. */
  async function bettor({ api }: PlatformProcess): Promise<void> {
    for (let bet = 0; bet < BETS_PER_BETTOR; bet++) {
      const { betId, status } = await api.place(frame)
      if (status !== 'accepted') continue
      if (random.chance(0.2)) await api.cancel(betId, 9)
      else await results(api, betId, random)
    }
  }

  test(`loses no bet and no delivery in ${KILLS} kills at random moments`, TIMEOUT, async () => {
    network.behave = () =>
      random.chance(0.05) ? (FAULTS[random.below(FAULTS.length)] as Behaviour) : random.chance(0.1) ? slow : honest
    for (let kill = 0; kill < KILLS; kill++) {
      const before = placed()
      const bettors = Array.from({ length: BETTORS }, () => bettor(platform).catch(() => {}))
      await until('two bets of each', () => placed() - before >= 2 * BETTORS)
      await sleep(random.below(LONGEST_MS))
      await platform.kill('SIGKILL')
      await Promise.all(bettors)
      await restart()
    }
    network.behave = () => honest
    await expectAgreement()
  })
})

const slow: Behaviour = async (exchange) => {
  await sleep(100)
  await honest(exchange)
}

async function results(api: PlatformProcess['api'], betId: string, random: Random): Promise<void> {
  await api.settle(betId, 'won', '25.00')
  if (random.chance(0.5)) await api.unsettle(betId)
  if (random.chance(0.5)) await api.settle(betId, 'lost', '0')
}
