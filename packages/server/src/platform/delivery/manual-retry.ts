/**
 * Manual retry of stuck and rejected deliveries: a single one, or all deliveries of a filter (C-4,
 * W-16).
 */

import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { type Db, type Row, statement, type Tx } from '../../core/database/db.ts'
import { buildQuery } from '../../core/database/query-builder.ts'
import { type PlatformRefusal, toNotFound, toRefusal } from '../platform-refusal.ts'
import { IS_SUMMED, NOT_OWED, type OwedSum, sumOwed } from '../store/needs-attention.ts'
import type { DeliveryKind, DeliveryStatus } from '../store/outbox.ts'
import { lockFreeBetIds } from '../store/platform-bet-store.ts'
import { addDeliveryChanges } from '../store/platform-change-feed.ts'
import { beginRetry, endRetry, recordRetried } from './bulk-retry-store.ts'
import { type DeliveryFilter, owedCondition, owedConditions } from './delivery-filter.ts'

/**
 * SQL: a delivery `d` can be retried by hand (W-16) if it is stuck. A rejected delivery can be
 * retried if it is the last of its bet and no cashout.
 */
export const NEEDS_MANUAL_ACTION = `d.operation <> 'place' and (d.status = 'stuck' or (
  d.status = 'refused' and d.result_type is distinct from 'cashout' and not exists (
    select from platform.delivery later where later.bet_id = d.bet_id and later.number > d.number)))`

const SEND_AGAIN = statement(
  'platform_send_again',
  `with was as (
     select delivery_id, status from platform.delivery d where delivery_id = any($1::bigint[]) and ${NEEDS_MANUAL_ACTION} for update
   ) update platform.delivery d
   set status = 'pending', attempts_before = attempts, first_attempt_at = null, finished_at = null, due_at = $2::timestamptz,
     code = null, error = null, ${NOT_OWED}
   from was where d.delivery_id = was.delivery_id returning d.delivery_id, d.bet_id, d.partner_id, d.operation, was.status`,
)

interface RestartedRow extends Row {
  delivery_id: bigint
  bet_id: string
  partner_id: string
  operation: DeliveryKind
  status: DeliveryStatus
}

/** The caller holds the bets. Returns the restarted deliveries; each one enters the audit log. */
async function restartSchedules(tx: Tx, author: Actor, deliveryIds: readonly bigint[], now: Date): Promise<bigint[]> {
  const again = await tx.query<RestartedRow>(SEND_AGAIN, [deliveryIds, now])
  const after = { status: 'pending' }
  await Promise.all([
    addDeliveryChanges(
      tx,
      again.map((delivery) => ({ delivery, status: 'pending', code: null, error: null })),
      now,
    ),
    ...again.map(({ delivery_id, status }) =>
      author.record(tx, { on: { deliveryId: String(delivery_id) }, before: { status }, after, at: now }),
    ),
  ])
  return again.map(({ delivery_id }) => delivery_id)
}

const LOCK_BET_OF = statement(
  'platform_lock_bet_of',
  `select b.bet_id from platform.delivery d join platform.bet b using (bet_id) where d.delivery_id = $1::bigint for update of b`,
)

/**
 * A transaction that decides the bet's next delivery then sees the state of this one. False if no
 * such delivery exists.
 */
export async function lockBetOfDelivery(tx: Tx, deliveryId: bigint): Promise<boolean> {
  return (await tx.query(LOCK_BET_OF, [deliveryId])).length > 0
}

/**
 * Also for a rejected delivery with a later one of its bet, which was sent (C-6), and for a
 * rejected cashout, which was reversed (C-8).
 */
export const NOT_STUCK = toRefusal(
  'not_stuck',
  'this delivery is neither stuck nor rejected, or its bet has a later delivery, so it cannot be retried',
)

export function retryDelivery(
  db: Db,
  author: Actor,
  deliveryId: bigint,
  now: Date,
): Promise<PlatformRefusal | undefined> {
  return db.transaction(async (tx) => {
    if (!(await lockBetOfDelivery(tx, deliveryId))) return toNotFound('the delivery')
    const again = await restartSchedules(tx, author, [deliveryId], now)
    return again.length === 0 ? NOT_STUCK : undefined
  })
}

export interface RetryDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  /** Called when deliveries are due. */
  decided(): void
}

/** Slices keep the locks of bets short. A committed slice is sent even if a later one fails. */
export async function retryMatching(deps: RetryDeps, author: Actor, filter: DeliveryFilter, dryRun = false) {
  const { db, clock } = deps
  const { stillTried, ...counted } = await countOwed(db, filter)
  if (dryRun) return { dryRun, ...counted, taken: 0, notTaken: { stillTried, changed: 0 } }
  const retryId = await beginRetry(db, author, filter, { count: counted.count, stillTried }, clock.now())
  let taken = 0
  for await (const slice of takeSlices(deps, author, filter, retryId)) taken += slice
  await endRetry(db, retryId, clock.now())
  return { dryRun, retryId, ...counted, taken, notTaken: { stillTried, changed: Math.max(counted.count - taken, 0) } }
}

async function countOwed(db: Db, filter: DeliveryFilter) {
  const { statement: sums, values } = buildQuery('platform_sum_owed', [], owedConditions(filter), (conditions) =>
    sumOwed(
      "case when status = 'pending' then 'tried' else 'waiting' end",
      `${owedCondition(filter, IS_SUMMED)}${conditions}`,
    ),
  )
  const rows = await db.userQueries.query<OwedSum>(sums, values)
  const total = (some: readonly OwedSum[]) => some.reduce((sum, row) => sum + Number.parseInt(String(row.count), 10), 0)
  const waiting = rows.filter(({ kind }) => kind === 'waiting')
  return {
    count: total(waiting),
    money: waiting.map(({ currency, amount, takeBack }) => ({ currency, amount, takeBack })),
    stillTried: total(rows) - total(waiting),
  }
}

interface OwedRow extends Record<string, unknown> {
  delivery_id: bigint
  bet_id: string
  since: string
}

/** Deliveries of one transaction. */
export const RETRY_SLICE = 200

/**
 * Yields the number of retried deliveries of each slice, the oldest fault first. Later faults are
 * excluded, so that no delivery is retried twice.
 */
async function* takeSlices(
  deps: RetryDeps,
  author: Actor,
  filter: DeliveryFilter,
  retryId: string,
): AsyncGenerator<number> {
  const until = deps.clock.now()
  let last: OwedRow | undefined
  do {
    const slice = await readSlice(deps.db, filter, until, last)
    last = slice.at(-1)
    if (last !== undefined) yield await takeSlice(deps, author, slice, retryId)
  } while (last !== undefined)
}

function readSlice(db: Db, filter: DeliveryFilter, until: Date, last: OwedRow | undefined): Promise<OwedRow[]> {
  const { statement: pick, values } = buildQuery(
    'platform_pick_owed',
    [RETRY_SLICE, until],
    {
      ...owedConditions(filter),
      after: last && ['(owed_since, delivery_id) > (?::timestamptz, ?::bigint)', last.since, last.delivery_id],
    },
    (conditions) =>
      `select delivery_id, bet_id, owed_since::text as since from platform.delivery
       where ${owedCondition(filter)} and owed_since <= $2::timestamptz and status <> 'pending'${conditions}
       order by owed_since, delivery_id limit $1::int`,
  )
  return db.userQueries.query<OwedRow>(pick, values)
}

async function takeSlice(deps: RetryDeps, author: Actor, slice: readonly OwedRow[], retryId: string): Promise<number> {
  const taken = await deps.db.transaction(async (tx) => {
    const locked = await lockFreeBetIds(
      tx,
      slice.map((owed) => owed.bet_id),
    )
    const mine = slice.filter((owed) => locked.has(owed.bet_id)).map((owed) => owed.delivery_id)
    const now = deps.clock.now()
    const again = await restartSchedules(tx, author, mine, now)
    await recordRetried(tx, retryId, again, now)
    return again.length
  })
  deps.decided()
  return taken
}
