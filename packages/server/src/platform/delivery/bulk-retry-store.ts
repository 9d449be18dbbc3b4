/**
 * Store of bulk retries: the progress of each one, and the deliveries that it sent again (C-16).
 */

import { environment } from '@purser/runtime/environment'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { type Db, statement, type Tx } from '../../core/database/db.ts'
import { mapSingleRow } from '../../core/database/row-mapping.ts'
import type { DeliveryFilter } from './delivery-filter.ts'

interface RetryStart extends Pick<Actor, 'keyName' | 'person'> {
  readonly retryId: string
  readonly at: Date
  readonly chosen: DeliveryFilter
  readonly count: number
  readonly stillTried: number
}

const RETRY_ROW = mapSingleRow<RetryStart>(1, {
  retry_id: ['uuid', ({ retryId }) => retryId],
  at: ['timestamptz', ({ at }) => at],
  key_name: ['text', ({ keyName }) => keyName],
  person: ['text', ({ person }) => person],
  chosen: ['json', ({ chosen }) => JSON.stringify(chosen)],
  count: ['int', ({ count }) => count],
  still_retrying: ['int', ({ stillTried }) => stillTried],
  progress_at: ['timestamptz', ({ at }) => at],
})
const BEGIN = statement(
  'platform_begin_retry',
  `insert into platform.retry (${RETRY_ROW.columns}) values (${RETRY_ROW.parameters})`,
)
const TAKE = statement(
  'platform_take_retried',
  `with taken as (insert into platform.retry_delivery (retry_id, delivery_id) select $1::uuid, id from unnest($2::bigint[]) as id on conflict do nothing returning 1)
   update platform.retry set taken = taken + (select count(*) from taken)::int, progress_at = $3::timestamptz where retry_id = $1::uuid`,
)
const END = statement(
  'platform_end_retry',
  'update platform.retry set finished_at = $2::timestamptz where retry_id = $1::uuid',
)

/** Returns the id of the retry. */
export async function beginRetry(
  db: Db,
  { keyName, person }: Actor,
  chosen: DeliveryFilter,
  counted: { readonly count: number; readonly stillTried: number },
  at: Date,
): Promise<string> {
  const retryId = environment.uuid()
  const begun = { retryId, at, keyName, person, chosen, ...counted }
  await db.transaction((tx) => tx.execute(BEGIN, RETRY_ROW.values(begun)))
  return retryId
}

/** Runs in the transaction that sends the deliveries again. */
export async function recordRetried(tx: Tx, retryId: string, deliveryIds: readonly bigint[], at: Date): Promise<void> {
  await tx.execute(TAKE, [retryId, deliveryIds, at])
}

export async function endRetry(db: Db, retryId: string, at: Date): Promise<void> {
  await db.transaction((tx) => tx.execute(END, [retryId, at]))
}
