/** What is old in a feed, counted and taken away: what stands before the first event that is kept. */

import { CHUNK_ROWS, runInChunks } from '../database/chunked-work.ts'
import { type Db, type Queryable, type Statement, statement } from '../database/db.ts'
import { type ChangeStore, numberAllChanges } from './change-store.ts'

const defineByStore = (text: string, name: string) => (store: ChangeStore) =>
  statement(`${store.schema}_${name}`, text.replaceAll('$schema', store.schema))

const defineCount = defineByStore(
  'select count(*)::int as rows from $schema.change where at < $1::timestamptz',
  'count_old_changes',
)

/** When none is kept, all go that have a number now; what is numbered while they go stays. */
const defineFirstRetained = defineByStore(
  `select coalesce(min(c.last_number), (select n.last_number + 1 from $schema.feed_counter n)) as number
   from $schema.change c where c.last_number is not null and c.at >= $1::timestamptz`,
  'first_kept_change',
)
const defineDeleteChunk = defineByStore(
  `delete from $schema.change c where c.last_number in (
     select o.last_number from $schema.change o where o.last_number is not null and o.last_number < $1::bigint
     order by o.last_number limit ${CHUNK_ROWS})`,
  'clear_old_changes',
)

/** Rows, most often of several events. */
export async function countOldChanges(db: Queryable, store: ChangeStore, before: Date): Promise<number> {
  const [row] = await db.query<{ rows: number }>(defineCount(store), [before])
  return row?.rows ?? 0
}

/** Resolves to the rows that were taken away. `signal` ends it between two slices. */
export async function deleteOldChanges(db: Db, store: ChangeStore, before: Date, signal: AbortSignal): Promise<number> {
  await numberAllChanges(db, store, signal) // what was never read goes by its numbers too
  const [firstRetained] = await db.snapshot((tx) => tx.query<{ number: bigint }>(defineFirstRetained(store), [before]))
  const deleteChunk: Statement = defineDeleteChunk(store)
  return runInChunks(signal, () => db.transaction((tx) => tx.execute(deleteChunk, [firstRetained?.number ?? 0n])))
}
