/**
 * Copies the tables that do not belong to players. It compares old and new rows slice by slice, in
 * the order of the primary keys, and copies the differences.
 */
import { type Row, statement } from '../../core/database/db.ts'
import { type MoveSides, type MoveTable, readSnapshot, syncRows } from './row-sync.ts'

/** Rows per slice. */
const AT_ONCE = 2_000

const DAYS = statement(
  'move_days_of_journal',
  `select right(c.relname, 8) as day from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'purser.journal'::regclass order by 1`,
)
/** The long retention keeps the days of the old database. */
const CREATE_DAY = statement('move_make_day_of_journal', "select purser.rotate_journal_of('purser', $1::date, 36500)")

/** Each day of the journal is a table. */
export async function createJournalDays({ from, to }: MoveSides): Promise<void> {
  const [source, target] = await Promise.all([from, to].map((db) => readSnapshot<{ day: string }>(db, DAYS, [])))
  const made = new Set(target?.map(({ day }) => day))
  for (const { day } of source ?? []) if (!made.has(day)) await to.longTransaction((tx) => tx.query(CREATE_DAY, [day]))
}

interface Sum extends Row {
  rows: number
  hash: string
}

interface Outcome {
  readonly rows: number
  readonly changed: number
  readonly isSame: boolean
}

/** `isSame` is the comparison after the copy; it is reliable if no other process writes. */
export async function syncTable(sides: MoveSides, table: MoveTable, signal: AbortSignal): Promise<Outcome> {
  const { shape, statements } = table
  const none: null[] = shape.key.map(() => null)
  let [rows, changed, isSame] = [0, 0, true]
  for (let after: readonly (string | null)[] | undefined = none; after !== undefined && !signal.aborted; ) {
    const [end]: { key: string[] }[] = await readSnapshot<{ key: string[] }>(sides.from, statements.bound, [
      ...after,
      AT_ONCE - 1,
    ])
    const values: unknown[] = [...after, ...(end?.key ?? none)]
    const compare = async () => {
      const [source, target] = await Promise.all(
        [sides.from, sides.to].map((db) => readSnapshot<Sum>(db, statements.sumsInRange, values)),
      )
      return { rows: source?.[0]?.rows ?? 0, isSame: JSON.stringify(source) === JSON.stringify(target) }
    }
    let sums = await compare()
    if (!sums.isSame) {
      const same = { bucket: sides.buckets, keys: statements.keysInRange, fromValues: values, toValues: values }
      changed += await syncRows(sides, { ...table, ...same })
      sums = await compare()
    }
    rows += sums.rows
    isSame &&= sums.isSame
    after = end?.key
  }
  return { rows, changed, isSame }
}
