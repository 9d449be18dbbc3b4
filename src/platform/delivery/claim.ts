/**
 * Claims: which deliveries are due, and who may send them (outbox.ts has the rows' life). A delivery that is claimed is due
 * at `infinity`: no clock makes it due again, only a process that has watched the claim for a whole lease (C-12).
 */
import { statement, type Tx } from '../../db/db.ts'
import type { ResultType } from '../../protocol/bet-request.ts'
import { LIMITS } from '../../protocol/limits.ts'
import type { Money } from '../../protocol/money.ts'
import { noteDeliveries } from '../change.ts'
import type { Lane } from './breaker.ts'
import { owedIf } from './owed.ts'
import { type DeliveryKind, ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from './schedule.ts'

/** Milliseconds for which a claim is watched before it counts as abandoned: the 5 s of a call and time to record it. */
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
     error = case when c.is_late then $5 else d.error end, finished_at = case when c.is_late then $1::timestamptz end,
     due_at = 'infinity', first_attempt_at = coalesce(d.first_attempt_at, $1::timestamptz),
     ${owedIf('(c.is_late or d.owed_since is not null)', '$1::timestamptz')}
   from (
     select due.delivery_id, k.is_rollback and (due.tried >= $6::int or due.first_attempt_at < $7::timestamptz) as is_late
     from unnest($2::text[], $3::bool[], $4::int[]) as k (partner_id, is_rollback, free)
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

const GAVE_UP = 'no attempt is left, or the time for it is over'

/** Deliveries of one lane of one partner. */
export interface LaneKey {
  readonly partnerId: string
  readonly lane: Lane
}

/**
 * Claims up to `free` due deliveries of each lane, the longest due first. A rollback that may not be tried any more, because
 * its time was over before it could be or because the last try was abandoned, comes back stuck (C-4).
 */
export async function claimDue(tx: Tx, lanes: readonly (LaneKey & { free: number })[], now: Date): Promise<Claim[]> {
  if (lanes.length === 0) return []
  const claims = await tx.query<Claim>(CLAIM, [
    now,
    lanes.map((k) => k.partnerId),
    lanes.map((k) => k.lane === 'rollbacks'),
    lanes.map((k) => k.free),
    GAVE_UP,
    ROLLBACK_ATTEMPTS,
    new Date(now.getTime() - ROLLBACK_WINDOW_MS),
  ])
  const stuck = claims.filter(({ status }) => status === 'stuck')
  await noteDeliveries(
    tx,
    stuck.map((delivery) => ({ delivery, status: 'stuck', code: null, error: GAVE_UP })),
    now,
  )
  return claims
}

const NEXT_DUE = statement(
  'platform_next_due',
  `select p.partner_id, k.is_rollback, d.due_at from platform.partner p
   cross join (values (true), (false)) as k (is_rollback)
   cross join lateral (
     select due_at from platform.delivery
     where partner_id = p.partner_id and (operation = 'rollback') = k.is_rollback and status = 'pending' and operation <> 'place'
       and due_at < 'infinity'
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

/** What a process holds, or held when it died. */
export interface HeldClaim extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly bet_id: string
  readonly operation: 'place' | DeliveryKind
  readonly attempts: number
}

const HELD_CLAIMS = statement(
  'platform_held_claims',
  `select delivery_id, bet_id, operation, attempts from platform.delivery where status = 'pending' and operation = 'place'
   union all
   select d.* from platform.partner p
   cross join (values (true), (false)) as k (is_rollback)
   cross join lateral (
     select delivery_id, bet_id, operation, attempts from platform.delivery
     where partner_id = p.partner_id and (operation = 'rollback') = k.is_rollback and status = 'pending' and due_at = 'infinity'
       and operation <> 'place'
   ) d`,
)

/** Of all processes on this database. A Place bet is held by the process that places it until its answer is recorded. */
export function readHeldClaims(tx: Pick<Tx, 'query'>): Promise<HeldClaim[]> {
  return tx.query<HeldClaim>(HELD_CLAIMS)
}

const RELEASE = statement(
  'platform_release',
  `update platform.delivery d set due_at = $3::timestamptz
   from unnest($1::bigint[], $2::int[]) as r (delivery_id, attempts)
   where d.delivery_id = r.delivery_id and d.attempts = r.attempts and d.status = 'pending' and d.operation <> 'place'
     and d.due_at = 'infinity'`,
)

/** Makes deliveries due again whose claims are abandoned. A claim that has ended meanwhile is left alone. */
export function releaseClaims(tx: Tx, claims: readonly HeldClaim[], now: Date): Promise<number> {
  return tx.execute(RELEASE, [claims.map((c) => c.delivery_id), claims.map((c) => c.attempts), now])
}

export interface ClaimWatch {
  /** Takes all claims that are held, by whomever; gives those that were held, unchanged, for a whole lease. `now` is monotonic, in milliseconds. */
  abandoned(held: readonly HeldClaim[], now: number): HeldClaim[]
}

/**
 * C-12: a claim counts as abandoned only for a process that has itself seen it unchanged for a whole lease on its own monotonic
 * clock. No step of the database's clock, and none of a host's, makes two processes send one delivery at once.
 */
export function watchClaims(): ClaimWatch {
  let since = new Map<string, number>()
  return {
    abandoned(held, now) {
      const before = since
      since = new Map(held.map((claim) => [keyOf(claim), before.get(keyOf(claim)) ?? now]))
      return held.filter((claim) => now - (since.get(keyOf(claim)) ?? now) >= LEASE_MS)
    },
  }
}

/** Each claim counts the attempt, so that the next claim of a delivery has another key. */
function keyOf({ delivery_id, attempts }: HeldClaim): string {
  return `${delivery_id}/${attempts}`
}
