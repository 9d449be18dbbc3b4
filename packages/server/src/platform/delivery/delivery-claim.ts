/**
 * Claims of due deliveries: rights to send a delivery once. outbox.ts has the states of a delivery.
 *
 * Invariant: a claim ends when its answer is recorded, or when another process has watched the
 * claim for a whole lease (C-12, lease-watch.ts). A claim has no expiry time.
 *
 * A claim changes no indexed column, so that Postgres updates the row on its page and writes no
 * index. The queue's index therefore keeps claimed deliveries, and ended ones while an older
 * snapshot exists. Each read skips these rows: it starts after a mark, the last claimed delivery
 * (delivery-lanes.ts).
 */

import type { ResultType } from '@purser/protocol/bet-request'
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import type { DeliveryLane } from '../circuit-breaker.ts'
import { assignOwed } from '../store/needs-attention.ts'
import { type DeliveryKind, IS_ROLLBACK, statusColumn } from '../store/outbox.ts'
import { addDeliveryChanges } from '../store/platform-change-feed.ts'
import { ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from './retry-backoff.ts'

/** The right to send a pending delivery once. */
export interface Claim extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly bet_id: string
  readonly partner_id: string
  readonly operation: DeliveryKind
  readonly body: string
  readonly status: 'pending' | 'stuck'
  /** Number of this attempt, and the fencing token with which its answer is recorded. */
  readonly attempts: number
  /** Attempts before the last manual retry, which started a new schedule. */
  readonly attempts_before: number
  readonly first_attempt_at: Date
  /** Null except for a settle. */
  readonly result_type: ResultType | null
  /** In the form of `QueueMark.dueAt`. */
  readonly due_at: string
}

/** A rollback is attempted for a limited time (C-4). */
export function isRollbackLate(claim: Pick<Claim, 'operation' | 'first_attempt_at'>, now: Date): boolean {
  return claim.operation === 'rollback' && now.getTime() - claim.first_attempt_at.getTime() > ROLLBACK_WINDOW_MS
}

/** Position in a lane's queue. `dueAt` has all digits that Postgres writes. */
export interface QueueMark {
  readonly dueAt: string
  readonly deliveryId: bigint
}

const FRONT: QueueMark = { dueAt: '-infinity', deliveryId: 0n }

/** A Place bet is in no lane, because its own process sends it. */
export const IN_LANE = (partner: string, isRollback: string) =>
  `partner_id = ${partner} and ${IS_ROLLBACK} = ${isRollback}`

/** SQL for the start of a read: the mark, but not later than `latest`. */
const afterMarkSql = (dueAt: string, deliveryId: string, latest: string) =>
  `least(${dueAt}, ${latest}::timestamptz) as after_due, case when ${dueAt} <= ${latest}::timestamptz then ${deliveryId} else 0 end as after_id`

const LANES = mapRows<ClaimableLane>(2, {
  partner_id: ['text', ({ partnerId }) => partnerId],
  is_rollback: ['bool', ({ lane }) => lane === 'rollbacks'],
  free: ['int', ({ free }) => free],
  after_due: ['timestamptz', ({ mark = FRONT }) => mark.dueAt],
  after_id: ['bigint', ({ mark = FRONT }) => mark.deliveryId],
})

/**
 * SQL for the deliveries that are due at `$1`, after the marks of their lanes. The parameters are
 * `$1` to `$8`.
 */
export const dueInLanes = (columns: string, lock = '') => `(
     select partner_id, is_rollback, free, ${afterMarkSql('after_due', 'after_id', '$7')}
     from ${LANES.from} l
   ) k
   cross join lateral (
     select ${columns} from platform.delivery
     where ${IN_LANE('k.partner_id', 'k.is_rollback')} and not is_claimed and due_at <= $1::timestamptz
       and (due_at, delivery_id) > (k.after_due, k.after_id) and delivery_id <> all($8::bigint[])
     order by due_at, delivery_id limit k.free ${lock}
   ) due`

const TO_CLAIM = 'delivery_id, attempts - attempts_before as tried, first_attempt_at'

/**
 * `due` selects the deliveries, and `k` has `is_rollback`. The parameters from `gaveUp` on are
 * `limits`.
 */
const composeClaim = (due: string, gaveUp: number) =>
  `update platform.delivery d
   set status = case when c.is_late then 'stuck' else 'pending' end, attempts = d.attempts + case when c.is_late then 0 else 1 end,
     error = case when c.is_late then $${gaveUp} else d.error end, finished_at = case when c.is_late then $1::timestamptz end,
     is_claimed = not c.is_late, first_attempt_at = coalesce(d.first_attempt_at, $1::timestamptz),
     ${assignOwed('(c.is_late or d.owed_since is not null)', '$1::timestamptz')}
   from (
     select due.delivery_id, m.body,
       k.is_rollback and (due.tried >= $${gaveUp + 1}::int or coalesce(due.first_attempt_at < $${gaveUp + 2}::timestamptz, false)) as is_late
     from ${due}
     cross join lateral (select body from platform.message m where m.delivery_id = due.delivery_id limit 1) m
   ) c
   where d.delivery_id = c.delivery_id
   returning d.delivery_id, d.bet_id, d.partner_id, d.operation, c.body, d.status, d.attempts, d.attempts_before, d.first_attempt_at,
     d.result_type, d.due_at::text as due_at`

const CLAIM = statement('platform_claim', composeClaim(dueInLanes(TO_CLAIM, 'for update skip locked'), 9))
const CLAIM_BY_IDS = statement(
  'platform_claim_these',
  composeClaim(
    `(
     select ${TO_CLAIM}, operation from platform.delivery e
     where delivery_id = any($2::bigint[]) and ${statusColumn('e')} = 'pending' and operation <> 'place' and not is_claimed
       and due_at <= $1::timestamptz
     for update skip locked
   ) due cross join lateral (select due.operation = 'rollback' as is_rollback) k`,
    3,
  ),
)

const GAVE_UP = 'no attempt or no time is left'

export interface LaneKey {
  readonly partnerId: string
  readonly lane: DeliveryLane
}

/** `free` deliveries may be claimed after the mark, or from the front. */
export interface ClaimableLane extends LaneKey {
  readonly free: number
  readonly mark?: QueueMark | undefined
}

/** With this time a read starts exactly at the mark. */
const NO_MATTER_WHEN = 'infinity'

/**
 * Claims up to `free` due deliveries of each lane, the longest due first. Deliveries due since
 * `since` are included even before the mark, because they may be new.
 *
 * A rollback without attempts or time left is returned as stuck (C-4). Its time may have run out,
 * or its last attempt was abandoned.
 */
export async function claimDue(
  tx: Tx,
  lanes: readonly ClaimableLane[],
  now: Date,
  since: Date | typeof NO_MATTER_WHEN = NO_MATTER_WHEN,
  quarantined: readonly bigint[] = [],
): Promise<Claim[]> {
  if (lanes.length === 0) return []
  return recordStuckClaims(
    tx,
    await tx.query<Claim>(CLAIM, [...toDueValues(lanes, now, since, quarantined), ...limits(now)]),
    now,
  )
}

/** Parameters of `dueInLanes`. */
export function toDueValues(
  lanes: readonly ClaimableLane[],
  now: Date,
  since: Date | typeof NO_MATTER_WHEN,
  quarantined: readonly bigint[],
): unknown[] {
  return [now, ...LANES.values(lanes), since, quarantined]
}

/**
 * Claims the deliveries that are still due and free. Another process may have sent one meanwhile
 * and planned its next attempt.
 */
export async function claimByIds(tx: Tx, deliveryIds: readonly bigint[], now: Date): Promise<Claim[]> {
  return recordStuckClaims(tx, await tx.query<Claim>(CLAIM_BY_IDS, [now, deliveryIds, ...limits(now)]), now)
}

const limits = (now: Date) => [GAVE_UP, ROLLBACK_ATTEMPTS, new Date(now.getTime() - ROLLBACK_WINDOW_MS)]

async function recordStuckClaims(tx: Tx, claims: Claim[], now: Date): Promise<Claim[]> {
  const stuck = claims.filter(({ status }) => status === 'stuck')
  await addDeliveryChanges(
    tx,
    stuck.map((delivery) => ({ delivery, status: 'stuck', code: null, error: GAVE_UP })),
    now,
  )
  return claims
}

const NEXT_DUE = statement(
  'platform_next_due',
  `select p.partner_id, k.lane, d.due_at, d.due_at::text as due_text, d.delivery_id from platform.partner p
   cross join (values ('rollbacks'), ('results')) as k (lane)
   cross join lateral (
     select coalesce(mark ->> 0, '${FRONT.dueAt}')::timestamptz as due, coalesce(mark ->> 1, '0')::bigint as id
     from (select $1::jsonb -> (k.lane || ' ' || p.partner_id)) as marks (mark) offset 0
   ) m
   cross join lateral (select ${afterMarkSql('m.due', 'm.id', '$2')} offset 0) b
   cross join lateral (
     select due_at, delivery_id from platform.delivery
     where ${IN_LANE('p.partner_id', "(k.lane = 'rollbacks')")} and not is_claimed
       and (due_at, delivery_id) > (b.after_due, b.after_id) and delivery_id <> all($3::bigint[])
     order by due_at, delivery_id limit 1
   ) d`,
)

export interface LaneDue extends LaneKey {
  readonly dueAt: Date
  /** Position of the next delivery. */
  readonly at: QueueMark
}

interface NextDueRow extends Record<string, unknown> {
  partner_id: string
  lane: DeliveryLane
  due_at: Date
  due_text: string
  delivery_id: bigint
}

export const formatLaneKey = ({ partnerId, lane }: LaneKey): string => `${lane} ${partnerId}`

/**
 * Returns the next due delivery of each lane, after its mark or since `since`. The keys of `marks`
 * are lane keys. Empty lanes are absent.
 */
export async function readNextDue(
  tx: Pick<Tx, 'query'>,
  marks: ReadonlyMap<string, QueueMark> = new Map(),
  since: Date | typeof NO_MATTER_WHEN = NO_MATTER_WHEN,
  quarantined: readonly bigint[] = [],
): Promise<LaneDue[]> {
  const places = [...marks].map(([lane, { dueAt, deliveryId }]) => [lane, [dueAt, String(deliveryId)]])
  const rows = await tx.query<NextDueRow>(NEXT_DUE, [JSON.stringify(Object.fromEntries(places)), since, quarantined])
  return rows.map(({ partner_id: partnerId, lane, due_at: dueAt, due_text, delivery_id: deliveryId }) => {
    return { partnerId, lane, dueAt, at: { dueAt: due_text, deliveryId } }
  })
}
