/**
 * The settings that our statements and their answers rely on, set by each connection when it begins. A server, a database and a role can
 * have others as their defaults. They are set by a statement: a pooler refuses most of them as parameters of a start.
 */
import type pg from 'pg'
import { UsageError } from '../../../../runtime/errors/cli-errors.ts'
import { UnusableDatabaseError } from '../database-errors.ts'

const SETTINGS: Readonly<Record<string, string>> = {
  // Text of both directions is UTF-8.
  client_encoding: 'UTF8',
  // Times and intervals are read as ISO 8601, with four-digit years and the offset.
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  // Days of reports are days of UTC, also where a statement does not name the zone.
  timezone: 'UTC',
  // NULL within a list is the missing value, and no text.
  array_nulls: 'on',
  // A backslash within quotes is a backslash.
  standard_conforming_strings: 'on',
  // Bytes are read as hexadecimal digits.
  bytea_output: 'hex',
  // A number with a fraction is written so that it reads back as the same number.
  extra_float_digits: '1',
  transform_null_equals: 'off',
  // A statement sees what others have committed, and a transaction is not refused for it at its end.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Names without a schema are Postgres' own: no table or function of another program is taken for one.
  search_path: 'pg_catalog',
  // A commit that a standby may not have is reported by a warning (durability.ts).
  client_min_messages: 'notice',
  // An audit and a migration take their time. What must be short has its own limits (db.ts).
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

/** An older Postgres does not know each of them. */
export const SESSION_SQL = `select pg_catalog.set_config(s.name, s.value, false)
  from (values ${Object.entries(SETTINGS)
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')}) as s (name, value)
  where pg_catalog.current_setting(s.name, true) is not null`

/** Throws unless a database can hold every text. */
export async function requireUtf8Encoding(pool: pg.Pool): Promise<void> {
  const text = "select current_setting('server_encoding') as encoding, current_database()::text as database"
  const { rows } = await pool.query<{ encoding: string; database: string }>(text)
  const [{ encoding, database } = { encoding: '', database: '' }] = rows
  if (encoding !== 'UTF8')
    throw new UsageError(
      `the database ${database} in DATABASE_URL has the encoding ${encoding}, which cannot store every name that partners send: create one with create database … encoding 'UTF8' template template0`,
    )
}

/** A time that cannot be read is an error, and no missing one: the session is not as it was set. */
export function toStrictTimeParser<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    const read = parse(text)
    if (Array.isArray(read) ? read.some(isNoTime) : isNoTime(read))
      throw new UnusableDatabaseError(
        `the database wrote the time ${text}, which is not ISO 8601: if a pooler changes DateStyle, set it back to ISO`,
      )
    return read
  }
}

/** `pg` reads infinity as a number, and null from what it cannot read. */
function isNoTime(read: unknown): boolean {
  return read === null || (read instanceof Date && Number.isNaN(read.getTime()))
}

/** Types of times, days and lists of both. */
export const TIME_TYPES: ReadonlySet<number> = new Set([1082, 1114, 1184, 1115, 1182, 1185])
