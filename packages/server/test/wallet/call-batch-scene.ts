/**
 * Makes a database with fixed players, money, tokens and times, and the calls that applyBatch
 * takes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Money, STANDARD_SCALES } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import pg from 'pg'
import { isOutage } from '../../src/core/database/database-errors.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement, type Tx } from '../../src/core/database/db.ts'
import { runWalletAudit } from '../../src/wallet/operator-api/audit/wallet-audit.ts'
import { moveCash } from '../../src/wallet/operator-api/money/deposits-and-withdrawals.ts'
import type { OperatorDeps } from '../../src/wallet/operator-api/operator-context.ts'
import { createPlayer, patchPlayer } from '../../src/wallet/operator-api/players/player-profile.ts'
import { createCitusFastPath } from '../../src/wallet/queue/citus-fast-path.ts'
import { type FastPathOutcome, isFastPathEligible, runFastPath } from '../../src/wallet/queue/fast-path.ts'
import { type BetCallOutcome, runRulesPath, type WaitingCall } from '../../src/wallet/queue/rules-path.ts'
import type { Rules } from '../../src/wallet/rules/decision.ts'
import type { BetCall, PlaceCall, RollbackCall, SettleCall, UnsettleCall } from '../../src/wallet/store/bet.ts'
import { hashToken, insertSession, type TokenHash } from '../../src/wallet/store/session.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { createDatabase } from '../support/database.ts'

export const STARTED_AT = new Date('2031-05-16T10:00:00.000Z')
export const RULES: Rules = {
  scales: STANDARD_SCALES,
  clawback: 'refuse',
  freebetStake: 'promotions',
  resettleWindowMs: null,
  minimumAge: 18,
  sharedBets: false,
}
const EUR = 'EUR' as Currency
const HOUR_MS = 3_600_000

export interface BatchScene {
  readonly db: Db
  /** The time of the clock, which does not advance by itself. */
  now: Date
  rules: Rules
  /** Names of the statements that batches have sent so far. */
  readonly statements: string[]
  /** Decides the calls as one batch, after the earlier ones. */
  apply(...calls: BetCall[]): Promise<BetCallOutcome[]>
  /** The fast path's decision for each of these calls, which belong to different players. */
  take(...calls: BetCall[]): Promise<FastPathOutcome[]>
  /** The fast path's decision for a call that may no longer start. */
  takeLate(call: BetCall): Promise<FastPathOutcome[]>
  /** Applies the calls one after another: on the fast path, or else on the rules path. */
  applyEach(...calls: BetCall[]): Promise<BetCallOutcome[]>
  readonly url: string
  read(sql: string): Promise<Record<string, unknown>[]>
  /** Resolves when the lane has a working connection after the earlier ones were closed. */
  reconnected(): Promise<void>
  close(): Promise<void>
}

export async function openScene(): Promise<BatchScene> {
  const database = await createDatabase()
  const db = await openDb({ kind: 'postgres', url: database.url })
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  const lane = db.openLane()
  const scene: BatchScene = {
    db,
    now: STARTED_AT,
    rules: RULES,
    statements: [],
    apply: (...calls) => runRulesPath(deps(), 0, calls.map(inTime)),
    take: (...calls) => take(calls.map(inTime)),
    takeLate: (call) => take([{ call, bucket: 0, startBefore: Number.NEGATIVE_INFINITY }]),
    async applyEach(...calls) {
      const outcomes: BetCallOutcome[] = []
      for (const call of calls) outcomes.push(await applyAlone(scene, call))
      return outcomes
    },
    url: database.url,
    read: async (text) => (await sql.query(text)).rows,
    reconnected: () => untilItWorks(() => lane.transaction((tx) => tx.query(PROBE))),
    async close() {
      await sql.end()
      await db.close()
      await database.drop()
    },
  }
  const transaction: Db['transaction'] = (work) => lane.transaction((tx) => work(naming(tx, scene.statements)))
  const deps = () => ({ transaction, clock: clockOf(scene), rules: scene.rules, onAnomaly: () => {} })
  const { autocommit } = lane
  const take = (waiting: readonly WaitingCall[]) =>
    autocommit === undefined ? runFastPath(deps(), waiting) : createCitusFastPath({ ...deps(), autocommit })(waiting)
  return scene
}

const PROBE = statement('probe', 'select 1')

async function untilItWorks(work: () => Promise<unknown>): Promise<void> {
  for (let works = false; !works; ) {
    works = await work().then(
      () => true,
      (error: unknown) => {
        if (!isOutage(error)) throw error
        return false
      },
    )
  }
}

function inTime(call: BetCall) {
  return { call, bucket: 0, startBefore: Number.POSITIVE_INFINITY }
}

async function applyAlone(scene: BatchScene, call: BetCall): Promise<BetCallOutcome> {
  const [verdict] = isFastPathEligible(call, scene.rules) ? await scene.take(call) : []
  if (verdict?.kind === 'taken') return { kind: 'accepted', betId: call.betId, at: verdict.at }
  const [outcome] = await scene.apply(call)
  if (outcome === undefined) throw new Error('a call has no outcome')
  return outcome
}

/** Records the names of the sent statements. */
function naming(tx: Tx, names: string[]): Tx {
  return {
    ...tx,
    query(statement, values) {
      names.push(statement.name)
      return tx.query(statement, values)
    },
    execute(statement, values) {
      names.push(statement.name)
      return tx.execute(statement, values)
    },
  }
}

export { ANY_ACTOR }

/** The operator API of another process, of which the wallet has no knowledge. */
export function elsewhere(scene: BatchScene): OperatorDeps & { readonly coolingOff: 'none' } {
  return { db: scene.db, clock: clockOf(scene), buckets: 1, scales: STANDARD_SCALES, coolingOff: 'none' }
}

function clockOf(scene: BatchScene): Clock {
  return { now: () => scene.now }
}

/** A player with money and two tokens: `token-of-<id>`, and an expired one. */
export async function seat(scene: BatchScene, id: string, amount: string, limits: object = {}): Promise<void> {
  const deps = elsewhere(scene)
  await createPlayer(deps, ANY_ACTOR, { userId: id, currency: 'EUR' })
  await moveCash(deps, ANY_ACTOR, id, 'deposit', { currency: 'EUR', amount, reference: 'first' })
  await patchPlayer(deps, ANY_ACTOR, id, { limits })
  const origin = { player: id as PlayerId, currency: EUR, endedAt: null, ip: null, country: null }
  const inAnHour = new Date(STARTED_AT.getTime() + HOUR_MS)
  await scene.db.transaction(async (tx) => {
    await insertSession(tx, 0, hashToken(`token-of-${id}`), { ...origin, expiresAt: inAnHour }, STARTED_AT)
    await insertSession(tx, 0, hashToken(`old-token-of-${id}`), { ...origin, expiresAt: STARTED_AT }, STARTED_AT)
  })
}

/** A token that is valid for two days. */
export async function seatForDays(scene: BatchScene, id: string): Promise<TokenHash> {
  const token = hashToken(`long-token-of-${id}`)
  const expiresAt = new Date(STARTED_AT.getTime() + 48 * HOUR_MS)
  const session = { player: id as PlayerId, currency: EUR, endedAt: null, ip: null, country: null, expiresAt }
  await scene.db.transaction((tx) => insertSession(tx, 0, token, session, STARTED_AT))
  return token
}

export async function untilCallWaits({ read }: BatchScene): Promise<void> {
  const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
  while ((await read(waiting)).length === 0) await sleep(5)
}

export async function findingsOf({ db }: BatchScene) {
  return (await runWalletAudit(db, { clawback: RULES.clawback })).findings
}

function common(player: string, bet: string, request: string) {
  return { player: player as PlayerId, betId: bet as BetId, requestId: request as RequestId, platform: '' }
}

type Over<C> = Partial<Omit<C, 'stake' | 'payout'>>

/** Amounts in whole euros. */
export function place(player: string, bet: string, euros: number, over: Over<PlaceCall> = {}): PlaceCall {
  const token = hashToken(`token-of-${player}`)
  const base = {
    kind: 'place',
    token,
    currency: EUR,
    stake: cents(euros),
    hasBonus: false,
    bonusAmount: null,
    oddsPayout: null,
    site: '',
    details: '{}',
    events: [],
  } as const
  return { ...common(player, bet, `place-${bet}`), ...base, ...over }
}

export function settle(player: string, bet: string, request: string, euros: number): SettleCall {
  const result = { payout: cents(euros), resultType: euros > 0 ? 'won' : 'lost' } as const
  return { ...common(player, bet, request), kind: 'settle', currency: EUR, ...result }
}

export function unsettle(player: string, bet: string, request: string): UnsettleCall {
  return { ...common(player, bet, request), kind: 'unsettle', currency: EUR }
}

export function rollback(player: string, bet: string, request: string): RollbackCall {
  return { ...common(player, bet, request), kind: 'rollback', currency: EUR, reason: 8 }
}

function cents(euros: number): Money {
  return (BigInt(euros) * 100n) as Money
}
