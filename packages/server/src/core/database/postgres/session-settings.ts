/**
 * Session settings that our statements, and the parsing of their answers, rely on.
 *
 * Servers, databases and roles can have other defaults, so each new connection sets them. It uses a
 * statement, because a pooler refuses most settings as startup parameters.
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type pg from 'pg'
import { UnusableDatabaseError } from '../database-errors.ts'

const SETTINGS: Readonly<Record<string, string>> = {
  // Text is UTF-8 in both directions.
  client_encoding: 'UTF8',
  // Times and intervals are read as ISO 8601, with four-digit years and the offset.
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  // Days in reports are UTC days, also where a statement does not name the zone.
  timezone: 'UTC',
  // An unquoted NULL in an array is the missing value.
  array_nulls: 'on',
  // A backslash in quotes is a plain character.
  standard_conforming_strings: 'on',
  // Bytes are read as hexadecimal digits.
  bytea_output: 'hex',
  // A float is written so that it reads back as the same number.
  extra_float_digits: '1',
  transform_null_equals: 'off',
  // A statement sees commits of other transactions, which make no transaction fail at its end.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Unqualified names mean objects of Postgres, which no other program can replace.
  search_path: 'pg_catalog',
  // A warning reports a commit that a standby may not have (durability.ts).
  client_min_messages: 'notice',
  // Audits and migrations take long. Short statements have limits of their own (db.ts).
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

/** Settings that an older Postgres lacks are skipped. */
export const SESSION_SQL = `select pg_catalog.set_config(s.name, s.value, false)
  from (values ${Object.entries(SETTINGS)
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')}) as s (name, value)
  where pg_catalog.current_setting(s.name, true) is not null`

export async function requireUtf8Encoding(pool: pg.Pool): Promise<void> {
  const text = "select current_setting('server_encoding') as encoding, current_database()::text as database"
  const { rows } = await pool.query<{ encoding: string; database: string }>(text)
  const [{ encoding, database } = { encoding: '', database: '' }] = rows
  if (encoding !== 'UTF8')
    throw new UsageError(
      `the database ${database} in DATABASE_URL has the encoding ${encoding}, which cannot store every name that partners send: create one with create database … encoding 'UTF8' template template0`,
    )
}

/**
 * An unreadable time is an error and no missing value, because the session's settings were changed.
 */
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

/** `pg` reads infinity as a number, and an unreadable time as null. */
function isNoTime(read: unknown): boolean {
  return read === null || (read instanceof Date && Number.isNaN(read.getTime()))
}

/** Type ids of times and days, and of arrays of both. */
export const TIME_TYPES: ReadonlySet<number> = new Set([1082, 1114, 1184, 1115, 1182, 1185])
