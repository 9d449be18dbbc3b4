/**
 * Check of a database's text order (collation), which the C library or ICU of its machine defines.
 *
 * Another version may order the same texts differently. An older index then misses rows without an
 * error.
 *
 * Invariant: no index of Purser depends on the text order, because each compares bytes.
 */
import { type Db, type Row, statement } from '../db.ts'

/** Read as JSON, because the column exists since Postgres 15. It is null for the order of bytes. */
const READ_RECORDED_VERSION = statement(
  'read_recorded_text_order',
  `select datname as name, to_jsonb(d) ->> 'datcollversion' as recorded
   from pg_catalog.pg_database d where datname = current_database()`,
)
const READ_ACTUAL_VERSION = statement(
  'read_actual_text_order',
  `select pg_catalog.pg_database_collation_actual_version(oid) as actual
   from pg_catalog.pg_database where datname = current_database()`,
)

interface RecordedVersionRow extends Row {
  readonly name: string
  readonly recorded: string | null
}

/**
 * Cause and remedy. Undefined when the version is unchanged, or when the database has no versions.
 */
export async function describeCollationChange(db: Pick<Db, 'query'>): Promise<string | undefined> {
  const [database] = await db.query<RecordedVersionRow>(READ_RECORDED_VERSION)
  if (database?.recorded == null) return undefined
  const [current] = await db.query<{ actual: string | null }>(READ_ACTUAL_VERSION)
  const { name, recorded } = database
  if (current?.actual == null || current.actual === recorded) return undefined
  const quoted = `"${name.replaceAll('"', '""')}"`
  return [
    `the order of text in the database ${quoted} has changed from version ${recorded} to ${current.actual}, with the C library or ICU of its machine`,
    'the indexes of Purser do not depend on it, other indexes in this database may miss rows',
    `the owner of the database can rebuild them and record the version: reindex database ${quoted}; alter database ${quoted} refresh collation version`,
  ].join('; ')
}
