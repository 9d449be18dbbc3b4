/**
 * Claims: which deliveries are due, and who may send them (outbox.ts has the rows' life). No clock ends a claim, only its answer, or a
 * process that has watched it for a whole lease (lease-watch.ts).
 *
 * A claim changes no indexed column, so that its row finds room on its own page and no index is written. So the index of the
 * queue keeps the claimed ones where they were, and those that are over as well as long as anybody's snapshot is older. Nobody
 * passes over them again and again: each look begins behind the last one that was claimed, its mark (delivery-lanes.ts).
 */

import type { ResultType } from '../../../protocol/bet-request.ts'
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import type { DeliveryLane } from '../circuit-breaker.ts'
import { assignOwed } from '../store/needs-attention.ts'
import { type DeliveryKind, IS_ROLLBACK, statusColumn } from '../store/outbox.ts'
import { addDeliveryChanges } from '../store/platform-change-feed.ts'
import { ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from './retry-backoff.ts'

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
  /** Of a settle. */
  readonly result_type: ResultType | null
  /** As a Mark has it. */
  readonly due_at: string
}

/** C-4: the time for attempts of a rollback is over. */
export function isRollbackLate(claim: Pick<Claim, 'operation' | 'first_attempt_at'>, now: Date): boolean {
  return claim.operation === 'rollback' && now.getTime() - claim.first_attempt_at.getTime() > ROLLBACK_WINDOW_MS
}

/** A place in the order of a lane's queue. The time as Postgres writes it, with all of its digits. */
export interface QueueMark {
  readonly dueAt: string
  readonly deliveryId: bigint
}

const FRONT: QueueMark = { dueAt: '-infinity', deliveryId: 0n }

/** A Place bet is in no lane, its own process sends it. */
export const IN_LANE = (partner: string, isRollback: string) =>
  `partner_id = ${partner} and ${IS_ROLLBACK} = ${isRollback}`

/** In SQL: where to begin behind a mark, yet no later than this time. */
const afterMarkSql = (dueAt: string, deliveryId: string, latest: string) =>
  `least(${dueAt}, ${latest}::timestamptz) as after_due, case when ${dueAt} <= ${latest}::timestamptz then ${deliveryId} else 0 end as after_id`

const LANES = mapRows<ClaimableLane>(2, {
  partner_id: ['text', ({ partnerId }) => partnerId],
  is_rollback: ['bool', ({ lane }) => lane === 'rollbacks'],
  free: ['int', ({ free }) => free],
  after_due: ['timestamptz', ({ mark = FRONT }) => mark.dueAt],
  after_id: ['bigint', ({ mark = FRONT }) => mark.deliveryId],
})

/** In SQL: what is due at `$1` in the lanes that the values up to `$8` name, behind their marks. */
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

/** `due` gives what is claimed, and `k` whether it is a rollback; the values from the number `gaveUp` on are those of `limits`. */
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

/** Deliveries of one lane of one partner. */
export interface LaneKey {
  readonly partnerId: string
  readonly lane: DeliveryLane
}

/** How many of a lane may be claimed, behind its mark; absent: from the front. */
export interface ClaimableLane extends LaneKey {
  readonly free: number
  readonly mark?: QueueMark | undefined
}

/** All that is behind the marks, whenever it is due. */
const NO_MATTER_WHEN = 'infinity'

/**
 * Claims up to `free` due deliveries of each lane, the longest due first; those that are due since `since` too if they are before
 * the mark: they may have been decided only now. A rollback that may not be tried any more, because
 * its time was over before it could be or because the last try was abandoned, comes back stuck (C-4).
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

/** Values of `dueInLanes`; what is aside is left out. */
export function toDueValues(
  lanes: readonly ClaimableLane[],
  now: Date,
  since: Date | typeof NO_MATTER_WHEN,
  quarantined: readonly bigint[],
): unknown[] {
  return [now, ...LANES.values(lanes), since, quarantined]
}

/** Claims those of them that nobody holds, and that are due still: somebody else may have sent one since it was read, and planned it anew. */
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
  /** Of the delivery that is next. */
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
 * When each lane's next delivery behind its mark (by `formatLaneKey` the lane) or since `since` is
 * due; lanes without any are left out.
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
