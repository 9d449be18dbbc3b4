/** What is old in a feed, counted and taken away: what stands before the first event that is kept. */
import { type Db, type Reading, type Statement, statement } from '../db/db.ts'
import { inSlices, SLICE } from '../db/in-slices.ts'
import { type ChangeStore, numberAll } from './change-store.ts'

const textOf = (text: string, name: string) => (store: ChangeStore) =>
  statement(`${store.schema}_${name}`, text.replaceAll('$schema', store.schema))

const count = textOf('select count(*)::int as rows from $schema.change where at < $1::timestamptz', 'count_old_changes')

/** When none is kept, all go that have a number now; what is numbered while they go stays. */
const firstKept = textOf(
  `select coalesce(min(c.last_number), (select n.last_number + 1 from $schema.change_count n)) as number
   from $schema.change c where c.last_number is not null and c.at >= $1::timestamptz`,
  'first_kept_change',
)
const clear = textOf(
  `delete from $schema.change c where c.last_number in (
     select o.last_number from $schema.change o where o.last_number is not null and o.last_number < $1::bigint
     order by o.last_number limit ${SLICE})`,
  'clear_old_changes',
)

/** Rows, most often of several events. */
export async function countOldChanges(reading: Reading, store: ChangeStore, before: Date): Promise<number> {
  const [row] = await reading.query<{ rows: number }>(count(store), [before])
  return row?.rows ?? 0
}

/** Resolves to the rows that were taken away. `signal` ends it between two slices. */
export async function clearOldChanges(db: Db, store: ChangeStore, before: Date, signal: AbortSignal): Promise<number> {
  await numberAll(db, store, signal) // what was never read goes by its numbers too
  const [kept] = await db.snapshot((tx) => tx.query<{ number: bigint }>(firstKept(store), [before]))
  const slice: Statement = clear(store)
  return inSlices(signal, () => db.transaction((tx) => tx.execute(slice, [kept?.number ?? 0n])))
}
