/**
 * Outbox of deliveries, the calls that must reach a partner. A delivery's row is written in the
 * transaction that decides the delivery.
 *
 *   waiting ──the earlier one ends──► pending ──claimed, sent──► done · refused · stuck
 *                                       ▲ └──unknown outcome──► pending again, later
 *                                       └──manual retry── stuck, refused
 *
 * Invariant: at most one delivery of a bet is pending, the unfinished one with the lowest number
 * (C-6). A claim (delivery-claim.ts) marks the row and counts the attempt. A late sender has an
 * older attempt number and cannot overwrite the result of its successor.
 *
 * The row is narrow because each attempt rewrites it. The bytes that are sent are written once, in
 * the table `message`. All processes use the database's clock (database-clock.ts).
 */

import { formatTiming as phasesAsText, type RequestTiming } from '@purser/protocol/client/network/request-timing'
import { LIMITS } from '@purser/protocol/wire-limits'
import { statement, type Tx } from '../../core/database/db.ts'
import { type ColumnMappings, mapRows } from '../../core/database/row-mapping.ts'
import { outstandingAmount } from './needs-attention.ts'
import type { BetResult } from './platform-bet.ts'

/**
 * SQL: true for a pending rollback, false for a pending result, otherwise null. The text equals the
 * index `delivery_due`, so that the planner uses this index independently of the statistics.
 */
export const IS_ROLLBACK = "(case when status = 'pending' and operation <> 'place' then operation = 'rollback' end)"

/**
 * SQL for the status of a delivery that was found by its id or bet. The number of pending
 * deliveries goes from zero to a million and back between two updates of the statistics. With the
 * plain column the planner could scan all pending ones.
 */
export const statusColumn = (delivery: string) => `nullif(${delivery}.status, '')`

/** SQL version of `redactBodyToken`, for a body that is never sent again (O-6). */
export const REDACT_TOKEN = (body: string) => `regexp_replace(${body}, '"token":"([^"\\\\]|\\\\.)+"', '"token":""')`

export const DELIVERY_STATUSES = ['waiting', 'pending', 'done', 'refused', 'unknown', 'stuck'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type DeliveryKind = 'settle' | 'unsettle' | 'rollback'

/** An unchanged claim is abandoned after this time: the 5 s of a call and the time to record it. */
export const LEASE_MS = 8_000
/**
 * A call may begin until this time after its claim. It must end before its lease, or two processes
 * would send at once (C-6).
 */
export const START_WITHIN_MS = LEASE_MS - LIMITS.answerMs - 500

export interface NewDelivery {
  readonly betId: string
  readonly partnerId: string
  /** Position among the bet's deliveries. The Place bet has number 1. */
  readonly number: number
  readonly operation: 'place' | DeliveryKind
  readonly requestId: string
  /** Every attempt sends exactly this text (C-5). */
  readonly body: string
  readonly status: 'waiting' | 'pending'
  readonly attempts: number
  /** `infinity` for a Place bet, because its process sends it now. */
  readonly dueAt: Date | 'infinity'
  /** Null except for a settle. The partner has this result when the delivery is done. */
  readonly result: BetResult | null
}

const DELIVERIES = mapRows<NewDelivery>(2, {
  bet_id: ['uuid', ({ betId }) => betId],
  number: ['int', ({ number }) => number],
  partner_id: ['text', ({ partnerId }) => partnerId],
  operation: ['text', ({ operation }) => operation],
  request_id: ['uuid', ({ requestId }) => requestId],
  body: ['text', ({ body }) => body],
  status: ['text', ({ status }) => status],
  attempts: ['int', ({ attempts }) => attempts],
  due_at: ['timestamptz', ({ dueAt }) => (dueAt === 'infinity' ? dueAt : dueAt.toISOString())],
  payout: ['bigint', ({ result }) => result?.payout ?? null],
  result_type: ['text', ({ result }) => result?.resultType ?? null],
})

/** The ids are generated first, because the message needs its delivery's id. */
const INSERT_DELIVERIES = statement(
  'platform_insert_deliveries',
  `with r as materialized (
     select nextval('platform.delivery_delivery_id_seq') as delivery_id, u.* from ${DELIVERIES.from} u
   ), written as (
     insert into platform.message (delivery_id, body) select delivery_id, body from r
   )
   insert into platform.delivery
     (delivery_id, bet_id, number, partner_id, operation, request_id, status, attempts, decided_at, first_attempt_at, due_at, payout, result_type)
   overriding system value
   select delivery_id, bet_id, number, partner_id, operation, request_id, status, attempts, $1::timestamptz,
     case when attempts > 0 then $1::timestamptz end, due_at, payout, result_type
   from r`,
)

/**
 * A rejected delivery needs no attention after a later one of its bet, because it cannot be retried
 * any more (W-16). Other marked deliveries get the new amount. The bets are written before.
 */
const OVERTAKE = statement(
  'platform_overtake',
  `update platform.delivery d
   set owed_since = case when d.status = 'refused' then null else d.owed_since end,
     owed_amount = case when d.status = 'refused' then null else ${outstandingAmount('b')} end,
     owed_currency = case when d.status = 'refused' then null else d.owed_currency end
   from platform.bet b where b.bet_id = any($1::uuid[]) and d.bet_id = b.bet_id and d.owed_since is not null`,
)
/** The smallest number of a delivery that can follow a rejected one other than the Place bet. */
const FIRST_TO_OVERTAKE = 3

/** The caller holds the bets. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<void> {
  if (deliveries.length === 0) return
  const later = deliveries.filter(({ number }) => number >= FIRST_TO_OVERTAKE).map(({ betId }) => betId)
  await Promise.all([insertRows(tx, deliveries, now), later.length > 0 && tx.execute(OVERTAKE, [later])])
}

async function insertRows(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<void> {
  await tx.execute(INSERT_DELIVERIES, [now.toISOString(), ...DELIVERIES.values(deliveries)])
}

const PLACE_DELIVERIES = statement(
  'platform_place_deliveries',
  'select bet_id, delivery_id from platform.delivery where bet_id = any($1::uuid[]) and number = 1',
)

export async function readPlaceDeliveries(tx: Tx, betIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ bet_id: string; delivery_id: bigint }>(PLACE_DELIVERIES, [betIds])
  return new Map(rows.map((row) => [row.bet_id, row.delivery_id]))
}

const UNFINISHED = statement(
  'platform_unfinished',
  `select distinct bet_id from platform.delivery d where bet_id = any($1::uuid[]) and ${statusColumn('d')} in ('waiting', 'pending', 'stuck')`,
)

/** Bets with an unfinished delivery. A stuck one holds the later ones back (C-6). */
export async function readUnfinished(tx: Tx, betIds: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.query<{ bet_id: string }>(UNFINISHED, [betIds])).map((row) => row.bet_id))
}

export interface AttemptResult {
  readonly deliveryId: bigint
  readonly attempt: number
  readonly status: Exclude<DeliveryStatus, 'waiting'>
  /** Start of the schedule's first call, a little after its claim. */
  readonly firstAttemptAt: Date | null
  /** Null unless the delivery stays pending. */
  readonly dueAt: Date | null
  readonly code: number | null
  readonly error: string | null
  /**
   * True if the delivery needs attention, unless it was rejected and its bet has a later one (C-9).
   */
  readonly isOwed: boolean
}

/**
 * The partner's code or text, limited to values that a column accepts. An answer must not make a
 * turn fail.
 */
export const toStorableCode = (code: number | null) => (code !== null && Math.abs(code) <= MAX_CODE ? code : null)
export const stripNul = (text: string) => text.replaceAll('\u0000', '')
const MAX_CODE = 2 ** 31 - 1

export const RESULT_ROWS = {
  delivery_id: ['bigint', ({ deliveryId }) => deliveryId],
  attempt: ['int', ({ attempt }) => attempt],
  status: ['text', ({ status }) => status],
  due_at: ['timestamptz', ({ dueAt }) => dueAt?.toISOString() ?? null],
  code: ['int', ({ code }) => toStorableCode(code)],
  error: ['text', ({ error }) => error && stripNul(error)],
  first_attempt_at: ['timestamptz', ({ firstAttemptAt }) => firstAttemptAt?.toISOString() ?? null],
} as const satisfies ColumnMappings<AttemptResult>
const RESULTS = mapRows<AttemptResult>(2, RESULT_ROWS)

/**
 * For Place bets, which are never owed. The other results are written by attempt-outcome-store.ts.
 */
const RECORD = statement(
  'platform_record',
  `update platform.delivery d
   set status = r.status, is_claimed = false, code = r.code, error = r.error, due_at = coalesce(r.due_at, d.due_at),
     first_attempt_at = coalesce(r.first_attempt_at, d.first_attempt_at),
     finished_at = case when r.status = 'pending' then null else $1::timestamptz end
   from ${RESULTS.from} r
   where d.delivery_id = r.delivery_id and d.attempts = r.attempt and ${statusColumn('d')} = 'pending'
   returning d.delivery_id, d.bet_id, d.number, d.status`,
)

export interface RecordedRow extends Record<string, unknown> {
  delivery_id: bigint
  bet_id: string
  number: number
  status: DeliveryStatus
}

/** Skips deliveries that another process has taken over. Returns the written ones. */
export function recordAttemptResults(tx: Tx, results: readonly AttemptResult[], now: Date): Promise<RecordedRow[]> {
  if (results.length === 0) return Promise.resolve([])
  return tx.query<RecordedRow>(RECORD, [now.toISOString(), ...RESULTS.values(results)])
}

type EndedPosition = Pick<RecordedRow, 'bet_id' | 'number'>

const OVER = mapRows<EndedPosition>(2, {
  bet_id: ['uuid', ({ bet_id }) => bet_id],
  number: ['int', ({ number }) => number],
})

const PROMOTE = statement(
  'platform_promote',
  `update platform.delivery d set status = 'pending', due_at = $1::timestamptz
   from ${OVER.from} r
   where d.bet_id = r.bet_id and d.number = r.number + 1 and ${statusColumn('d')} = 'waiting'`,
)

/** A rejected cashout, with the number of its delivery. */
export interface RefusedCashout {
  readonly betId: string
  readonly number: number
}

/** Makes the next delivery of each bet pending (C-6). */
export async function promoteNext(tx: Tx, over: readonly EndedPosition[], now: Date): Promise<void> {
  if (over.length > 0) await tx.execute(PROMOTE, [now, ...OVER.values(over)])
}

export interface AttemptRecord {
  readonly deliveryId: bigint
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly status: number | null
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  readonly code: number | null
  readonly error: string | null
  readonly body: string
  readonly phases?: RequestTiming | undefined
}

/** Without the ids and numbers, which each statement adds. */
export const ATTEMPT_ROWS = {
  started_at: ['timestamptz', ({ startedAt }) => startedAt.toISOString()],
  duration_ms: ['int', ({ durationMs }) => Math.ceil(durationMs)],
  http_status: ['int', ({ status }) => status],
  outcome: ['text', ({ outcome }) => outcome],
  body: ['text', ({ body }) => stripNul(body)],
  phases: ['text', ({ phases }) => phases && phasesAsText(phases)],
} as const satisfies ColumnMappings<AttemptRecord>
const ATTEMPTS = mapRows<AttemptRecord>(1, {
  delivery_id: ['bigint', ({ deliveryId }) => deliveryId],
  number: ['int', ({ number }) => number],
  code: ['int', ({ code }) => toStorableCode(code)],
  error: ['text', ({ error }) => error && stripNul(error)],
  ...ATTEMPT_ROWS,
})

const INSERT_ATTEMPTS = statement(
  'platform_insert_attempts',
  `insert into platform.attempt (${ATTEMPTS.columns}) select ${ATTEMPTS.columns} from ${ATTEMPTS.from} r
   on conflict (delivery_id, number) do nothing`,
)

export async function insertAttempts(tx: Tx, attempts: readonly AttemptRecord[]): Promise<void> {
  if (attempts.length === 0) return
  await tx.execute(INSERT_ATTEMPTS, ATTEMPTS.values(attempts))
}
