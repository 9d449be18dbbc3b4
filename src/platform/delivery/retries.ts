/** Retries of many deliveries (C-16): each keeps how far it has come, and what it has sent again. */
import { type Db, statement, type Tx } from '../../db/db.ts'
import { rowOf } from '../../db/rows.ts'
import type { Author } from '../../people/actions.ts'
import { world } from '../../runtime/world.ts'
import type { DeliveryFilter } from './filter.ts'

interface Begun extends Pick<Author, 'keyName' | 'person'> {
  readonly retryId: string
  readonly at: Date
  readonly chosen: DeliveryFilter
  readonly count: number
  readonly stillTried: number
}

const BEGUN = rowOf<Begun>(1, {
  retry_id: ['uuid', ({ retryId }) => retryId],
  at: ['timestamptz', ({ at }) => at],
  key_name: ['text', ({ keyName }) => keyName],
  person: ['text', ({ person }) => person],
  chosen: ['json', ({ chosen }) => JSON.stringify(chosen)],
  count: ['int', ({ count }) => count],
  still_tried: ['int', ({ stillTried }) => stillTried],
  progress_at: ['timestamptz', ({ at }) => at],
})
const BEGIN = statement(
  'platform_begin_retry',
  `insert into platform.retry (${BEGUN.columns}) values (${BEGUN.parameters})`,
)
const TAKE = statement(
  'platform_take_retried',
  `with taken as (insert into platform.retried (retry_id, delivery_id) select $1::uuid, id from unnest($2::bigint[]) as id on conflict do nothing returning 1)
   update platform.retry set taken = taken + (select count(*) from taken)::int, progress_at = $3::timestamptz where retry_id = $1::uuid`,
)
const END = statement(
  'platform_end_retry',
  'update platform.retry set finished_at = $2::timestamptz where retry_id = $1::uuid',
)

/** Resolves to its id. */
export async function beginRetry(
  db: Db,
  { keyName, person }: Author,
  chosen: DeliveryFilter,
  counted: { readonly count: number; readonly stillTried: number },
  at: Date,
): Promise<string> {
  const retryId = world.uuid()
  const begun = { retryId, at, keyName, person, chosen, ...counted }
  await db.transaction((tx) => tx.execute(BEGIN, BEGUN.values(begun)))
  return retryId
}

/** In the transaction that sends them again. */
export async function noteRetried(tx: Tx, retryId: string, deliveryIds: readonly bigint[], at: Date): Promise<void> {
  await tx.execute(TAKE, [retryId, deliveryIds, at])
}

export async function endRetry(db: Db, retryId: string, at: Date): Promise<void> {
  await db.transaction((tx) => tx.execute(END, [retryId, at]))
}
