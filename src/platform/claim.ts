/** Claims: which deliveries are due, and who may send them (outbox.ts has the rows' life). */
import { statement, type Tx } from '../db/db.ts'
import type { ResultType } from '../protocol/bet-request.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { Money } from '../protocol/money.ts'
import type { Lane } from './breaker.ts'
import { type DeliveryKind, ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from './schedule.ts'

/** Milliseconds after which a claimed delivery counts as abandoned: the 5 s of a call and time to record it. */
export const LEASE_MS = 8_000
/** Milliseconds after its claim up to which a call may begin: it must be over before its lease is, or two would send at once (C-6). */
export const START_WITHIN_MS = LEASE_MS - LIMITS.answerMs - 500

/** A delivery that this process may send now, once, while it is pending. */
export interface Claim extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly bet_id: string
  readonly partner_id: string
  readonly operation: DeliveryKind
  readonly body: string
  readonly status: 'pending' | 'stuck'
  /** This attempt's number; the token that the record of it must show. */
  readonly attempts: number
  /** Attempts made before a stuck delivery was sent again by hand: the schedule began anew there. */
  readonly attempts_before: number
  readonly first_attempt_at: Date
  /** What a settle says, for the record of what the partner was told. */
  readonly payout: Money | null
  readonly result_type: ResultType | null
}

/** C-4: the time for attempts of a rollback is over. */
export function isLate(claim: Pick<Claim, 'operation' | 'first_attempt_at'>, now: Date): boolean {
  return claim.operation === 'rollback' && now.getTime() - claim.first_attempt_at.getTime() > ROLLBACK_WINDOW_MS
}

/** A Place bet is in no lane, its own process sends it. */
const CLAIM = statement(
  'platform_claim',
  `update platform.delivery d
   set status = case when c.is_late then 'stuck' else 'pending' end, attempts = d.attempts + case when c.is_late then 0 else 1 end,
     error = case when c.is_late then $6 else d.error end, finished_at = case when c.is_late then $1::timestamptz end,
     due_at = $2::timestamptz, first_attempt_at = coalesce(d.first_attempt_at, $1::timestamptz)
   from (
     select due.delivery_id, k.is_rollback and (due.tried >= $7::int or due.first_attempt_at < $8::timestamptz) as is_late
     from unnest($3::text[], $4::bool[], $5::int[]) as k (partner_id, is_rollback, free)
     cross join lateral (
       select delivery_id, attempts - attempts_before as tried, first_attempt_at from platform.delivery
       where partner_id = k.partner_id and (operation = 'rollback') = k.is_rollback and due_at <= $1::timestamptz
         and status = 'pending' and operation <> 'place'
       order by due_at limit k.free for update skip locked
     ) due
   ) c
   where d.delivery_id = c.delivery_id
   returning d.delivery_id, d.bet_id, d.partner_id, d.operation, d.body, d.status, d.attempts, d.attempts_before, d.first_attempt_at,
     d.payout, d.result_type`,
)

/** Deliveries of one lane of one partner. */
export interface LaneKey {
  readonly partnerId: string
  readonly lane: Lane
}

/**
 * Claims up to `free` due deliveries of each lane, the longest due first. A rollback that may not be tried any more, because
 * its time was over before it could be or because the last try was abandoned, comes back stuck (C-4).
 */
export function claimDue(tx: Tx, lanes: readonly (LaneKey & { free: number })[], now: Date): Promise<Claim[]> {
  if (lanes.length === 0) return Promise.resolve([])
  return tx.query<Claim>(CLAIM, [
    now,
    new Date(now.getTime() + LEASE_MS),
    lanes.map((k) => k.partnerId),
    lanes.map((k) => k.lane === 'rollbacks'),
    lanes.map((k) => k.free),
    'no attempt is left, or the time for it is over',
    ROLLBACK_ATTEMPTS,
    new Date(now.getTime() - ROLLBACK_WINDOW_MS),
  ])
}

const NEXT_DUE = statement(
  'platform_next_due',
  `select p.partner_id, k.is_rollback, d.due_at from platform.partner p
   cross join (values (true), (false)) as k (is_rollback)
   cross join lateral (
     select due_at from platform.delivery
     where partner_id = p.partner_id and (operation = 'rollback') = k.is_rollback and status = 'pending' and operation <> 'place'
     order by due_at limit 1
   ) d`,
)

export interface LaneDue extends LaneKey {
  readonly dueAt: Date
}

/** When each lane's next delivery is due; lanes without any are left out. */
export async function readNextDue(tx: Pick<Tx, 'query'>): Promise<LaneDue[]> {
  const rows = await tx.query<{ partner_id: string; is_rollback: boolean; due_at: Date }>(NEXT_DUE)
  return rows.map((row) => ({
    partnerId: row.partner_id,
    lane: row.is_rollback ? 'rollbacks' : 'results',
    dueAt: row.due_at,
  }))
}

const OVERDUE_PLACEMENTS = statement(
  'platform_overdue_placements',
  `select bet_id from platform.delivery
   where status = 'pending' and operation = 'place' and due_at <= $1::timestamptz order by due_at limit 200`,
)

/** Bets whose placing process is gone: their Place bet's lease is over and nobody recorded an answer (C-1). */
export async function readOverduePlacements(tx: Pick<Tx, 'query'>, now: Date): Promise<string[]> {
  return (await tx.query<{ bet_id: string }>(OVERDUE_PLACEMENTS, [now])).map((row) => row.bet_id)
}
