/**
 * People who sign in by name, as they are stored (U-4).
 *
 * live ──wrong password, five times──► locked ──time──► live
 *   └──end──► ended: for good; the name is not given again
 *
 * Invariant: at most one attempt counts as the fifth, however many come at once, for each takes the row's lock before the password is looked at.
 * Passwords of one person have numbers: what was allowed by one that has been replaced meanwhile is not done.
 */
import { type Reading, statement, type Tx } from '../db/db.ts'
import type { Role } from '../http/caller.ts'
import type { Server } from './server.ts'

export type ConsoleServer = Exclude<Server, 'gateway'>
export type ConsoleSchema = 'purser' | 'platform'

/** Wrong passwords in a row that lock a name, and for how many seconds: doubled by each one more, up to the last. */
export const LOCK_AFTER = 5
const LOCK_SECONDS = 60
const MAX_LOCK_SECONDS = 3_600

export interface PersonRow extends Record<string, unknown> {
  readonly name: string
  readonly role: Role
  readonly made_at: Date
  readonly is_live: boolean
  readonly is_locked: boolean
}

/** Whose password was right. */
export interface KnownPerson {
  readonly name: string
  readonly role: Role
  /** Of the password that was right. */
  readonly passwordNumber: number
}

export interface PersonStore {
  list(reading: Reading): Promise<PersonRow[]>
  anybody(reading: Reading): Promise<boolean>
  /** False when the name has been given. */
  add(tx: Tx, name: string, role: Role, password: string): Promise<boolean>
  /** The first of all; false when there is one. */
  addFirst(tx: Tx, name: string, password: string): Promise<boolean>
  /** Counts one more attempt and returns the kept password; undefined when there is nobody, or the name is locked. */
  attempt(tx: Tx, name: string): Promise<{ readonly person: KnownPerson; readonly password: string } | undefined>
  /** The attempt was right. */
  succeed(tx: Tx, name: string): Promise<void>
  /** Answers the number of the new one; undefined when there is nobody, or another password than that of `number`, where it is given. */
  setPassword(tx: Tx, name: string, password: string, number?: number): Promise<number | undefined>
  end(tx: Tx, name: string): Promise<boolean>
}

export function createPersonStore(schema: ConsoleSchema): PersonStore {
  const sql = statementsOn(schema)
  const isDone = async (tx: Tx, what: (typeof sql)[keyof typeof sql], values: unknown[]) =>
    (await tx.query(what, values)).length > 0
  return {
    list: (reading) => reading.query<PersonRow>(sql.list),
    anybody: async (reading) => (await reading.query(sql.anybody)).length > 0,
    add: (tx, name, role, password) => isDone(tx, sql.add, [name, role, password]),
    addFirst: (tx, name, password) => isDone(tx, sql.addFirst, [name, password]),
    async attempt(tx, name) {
      const [row] = await tx.query<{ role: Role; password: string; number: number }>(sql.attempt, [
        ...[name, LOCK_AFTER, LOCK_SECONDS, MAX_LOCK_SECONDS],
      ])
      return row && { person: { name, role: row.role, passwordNumber: row.number }, password: row.password }
    },
    succeed: async (tx, name) => void (await tx.query(sql.succeed, [name])),
    async setPassword(tx, name, password, number) {
      const [row] = await tx.query<{ number: number }>(sql.setPassword, [name, password, number ?? null])
      return row?.number
    },
    end: (tx, name) => isDone(tx, sql.end, [name]),
  }
}

function statementsOn(schema: ConsoleSchema) {
  const named = (name: string, text: string) => statement(`${schema}_${name}`, text)
  const table = `${schema}.console_person`
  const live = 'ends_at > statement_timestamp()'
  return {
    list: named(
      'list_console_people',
      `select name, role, made_at, ${live} as is_live, locked_until > statement_timestamp() as is_locked from ${table} order by made_at, name limit 1000`,
    ),
    anybody: named('any_console_person', `select 1 as one from ${table} limit 1`),
    add: named(
      'add_console_person',
      `insert into ${table} (name, role, password, password_at, made_at) values ($1::text, $2::text, $3::text, statement_timestamp(), statement_timestamp())
       on conflict (name) do nothing returning name`,
    ),
    addFirst: named(
      'add_first_console_person',
      `insert into ${table} (name, role, password, password_at, made_at)
       select $1::text, 'admin', $2::text, statement_timestamp(), statement_timestamp() where not exists (select from ${table})
       on conflict (name) do nothing returning name`,
    ),
    attempt: named(
      'attempt_console_person',
      `update ${table} set failures = failures + 1, locked_until = case when failures + 1 < $2::int then locked_until
         else statement_timestamp() + least($4::int, $3::int * 2 ^ least(failures + 1 - $2::int, 10)) * interval '1 second' end
       where name = $1::text and ${live} and locked_until <= statement_timestamp()
       returning role, password, password_number as number`,
    ),
    succeed: named(
      'succeed_console_person',
      `update ${table} set failures = 0, locked_until = '-infinity' where name = $1::text`,
    ),
    setPassword: named(
      'set_console_password',
      `update ${table} set password = $2::text, password_at = statement_timestamp(), password_number = password_number + 1,
         failures = 0, locked_until = '-infinity'
       where name = $1::text and ${live} and password_number = coalesce($3::int, password_number) returning password_number as number`,
    ),
    end: named(
      'end_console_person',
      `update ${table} set ends_at = statement_timestamp() where name = $1::text and ${live} returning name`,
    ),
  }
}
