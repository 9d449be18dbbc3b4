/** Retention of a feed: counts and deletes the events before the first retained one. */

import { CHUNK_ROWS, runInChunks } from '../database/chunked-work.ts'
import { type Db, type Queryable, type Statement, statement } from '../database/db.ts'
import { type ChangeStore, numberAllChanges } from './change-store.ts'

const defineByStore = (text: string, name: string) => (store: ChangeStore) =>
  statement(`${store.schema}_${name}`, text.replaceAll('$schema', store.schema))

const defineCount = defineByStore(
  'select count(*)::int as rows from $schema.change where at < $1::timestamptz',
  'count_old_changes',
)

/** If no event is retained, all that are numbered now are deleted. Later numbers stay. */
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

/** Returns rows; most have several events. */
export async function countOldChanges(db: Queryable, store: ChangeStore, before: Date): Promise<number> {
  const [row] = await db.query<{ rows: number }>(defineCount(store), [before])
  return row?.rows ?? 0
}

/** Returns the number of deleted rows. `signal` ends the work between two chunks. */
export async function deleteOldChanges(db: Db, store: ChangeStore, before: Date, signal: AbortSignal): Promise<number> {
  await numberAllChanges(db, store, signal) // an event that was never read needs a number to be deleted
  const [firstRetained] = await db.snapshot((tx) => tx.query<{ number: bigint }>(defineFirstRetained(store), [before]))
  const deleteChunk: Statement = defineDeleteChunk(store)
  return runInChunks(signal, () => db.transaction((tx) => tx.execute(deleteChunk, [firstRetained?.number ?? 0n])))
}
