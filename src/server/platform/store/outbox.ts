/**
 * Deliveries: calls that must reach a partner. A row is written in the transaction that decides it.
 *
 *   waiting ──the one before it is over──► pending ──claimed, sent──► done · refused · stuck
 *                                             ▲ └──nobody knows──► pending again, later
 *                                             └──sent by hand── stuck, refused
 *
 * Invariant: of one bet at most one delivery is pending, the one with the lowest number that is not over (C-6). A claim
 * (delivery-claim.ts) marks the row and counts the attempt: a late sender holds an older attempt number, and cannot overwrite what its
 * successor found. The row is rewritten and narrow; the bytes that are sent are written once, apart (`message`). All processes read times off one clock, the database's (database-clock.ts).
 */

import { formatTiming as phasesAsText, type RequestTiming } from '../../../protocol/client/network/request-timing.ts'
import { LIMITS } from '../../../protocol/wire-limits.ts'
import { statement, type Tx } from '../../core/database/db.ts'
import { type ColumnMappings, mapRows } from '../../core/database/row-mapping.ts'
import { outstandingAmount } from './needs-attention.ts'
import type { BetResult } from './platform-bet.ts'

/**
 * In SQL, of a delivery that is pending: in which lane it is; else, and of a Place bet, null. As the index of the queues has it
 * (delivery_due), so that this index is used whatever the statistics say.
 */
export const IS_ROLLBACK = "(case when status = 'pending' and operation <> 'place' then operation = 'rollback' end)"

/**
 * In SQL, the status of one that was found by its id or its bet. What is pending goes from nothing to a million and back between two
 * looks of the statistics: as a plain column it would be looked for among all that are pending.
 */
export const statusColumn = (delivery: string) => `nullif(${delivery}.status, '')`

/** In SQL, a body as it is kept when nobody will send it again (O-6); as `withoutToken` does it. */
export const REDACT_TOKEN = (body: string) => `regexp_replace(${body}, '"token":"([^"\\\\]|\\\\.)+"', '"token":""')`

export const DELIVERY_STATUSES = ['waiting', 'pending', 'done', 'refused', 'unknown', 'stuck'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type DeliveryKind = 'settle' | 'unsettle' | 'rollback'

/** Milliseconds for which a claim is watched before it counts as abandoned: the 5 s of a call and time to record it. */
export const LEASE_MS = 8_000
/** Milliseconds after its claim up to which a call may begin: it must be over before its lease is, or two would send at once (C-6). */
export const START_WITHIN_MS = LEASE_MS - LIMITS.answerMs - 500

export interface NewDelivery {
  readonly betId: string
  readonly partnerId: string
  /** Position among the bet's deliveries, from 1; the Place bet is number 1. */
  readonly number: number
  readonly operation: 'place' | DeliveryKind
  readonly requestId: string
  /** The exact text that every attempt sends (C-5). */
  readonly body: string
  readonly status: 'waiting' | 'pending'
  readonly attempts: number
  /** `infinity` for a Place bet: its process sends it now. */
  readonly dueAt: Date | 'infinity'
  /** Of a settle: what the partner has been told when it is done. */
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

/** The ids come first: the message is written with its delivery's. */
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
 * A refused delivery needs no person once its bet has a later one: it cannot be sent again (W-16). What else does is about other money now. The bets
 * are written before.
 */
const OVERTAKE = statement(
  'platform_overtake',
  `update platform.delivery d
   set owed_since = case when d.status = 'refused' then null else d.owed_since end,
     owed_amount = case when d.status = 'refused' then null else ${outstandingAmount('b')} end,
     owed_currency = case when d.status = 'refused' then null else d.owed_currency end
   from platform.bet b where b.bet_id = any($1::uuid[]) and d.bet_id = b.bet_id and d.owed_since is not null`,
)
/** Number of the first delivery before which another one than the Place bet can have been refused. */
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

/** The deliveries of the bets' own Place bets. */
export async function readPlaceDeliveries(tx: Tx, betIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ bet_id: string; delivery_id: bigint }>(PLACE_DELIVERIES, [betIds])
  return new Map(rows.map((row) => [row.bet_id, row.delivery_id]))
}

const UNFINISHED = statement(
  'platform_unfinished',
  `select distinct bet_id from platform.delivery d where bet_id = any($1::uuid[]) and ${statusColumn('d')} in ('waiting', 'pending', 'stuck')`,
)

/** Which of these bets have a delivery that is not over; a stuck one holds the later ones back (C-6). */
export async function readUnfinished(tx: Tx, betIds: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.query<{ bet_id: string }>(UNFINISHED, [betIds])).map((row) => row.bet_id))
}

/** What an attempt came to, for its delivery. */
export interface AttemptResult {
  readonly deliveryId: bigint
  readonly attempt: number
  readonly status: Exclude<DeliveryStatus, 'waiting'>
  /** When the first call of the schedule really began; its claim was a little earlier. */
  readonly firstAttemptAt: Date | null
  /** Of a delivery that stays pending. */
  readonly dueAt: Date | null
  readonly code: number | null
  readonly error: string | null
  /** Whether it needs a person, unless it was refused and its bet has a later one (C-9). */
  readonly isOwed: boolean
}

/** A code or text as the partner chose it, as far as a column takes it: one answer must not make a whole turn fail. */
export const toStorableCode = (code: number | null) => (code !== null && Math.abs(code) <= MAX_CODE ? code : null)
export const stripNul = (text: string) => text.replaceAll('\u0000', '')
const MAX_CODE = 2 ** 31 - 1

/** What an attempt makes of its delivery. */
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
 * Of Place bets, which nobody is owed. What comes of the others, attempt-outcome-store.ts writes.
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

/** Writes what attempts came to, unless another process has taken the delivery over since; resolves to those written. */
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

/** A cashout that the partner has refused, by its delivery's number among those of the bet. */
export interface RefusedCashout {
  readonly betId: string
  readonly number: number
}

/** Lets the delivery after each of these, which are over, go (C-6). */
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

/** What is kept of an attempt, but for its delivery's id and its own number. */
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

/** Every attempt is kept: when, how long, what came back. */
export async function insertAttempts(tx: Tx, attempts: readonly AttemptRecord[]): Promise<void> {
  if (attempts.length === 0) return
  await tx.execute(INSERT_ATTEMPTS, ATTEMPTS.values(attempts))
}
