/**
 * Store of the users who sign in by name (U-4).
 *
 * States of a user:
 * - live: five wrong passwords from an address → locked for this address; removed → ended
 * - locked for an address: the lock expires → live
 * - ended, without an exit: the name is never reused
 *
 * Invariant: an attempt is counted before its password is compared. The count is a row for the name
 * and the address, and counting locks this row. A user's passwords are numbered. A sign-in or
 * change that an older password permitted fails once a newer one is set.
 */
import { type Queryable, statement, type Tx } from '../../database/db.ts'
import type { Role } from '../../http/api/principal.ts'
import type { ServerKind } from '../auth-settings.ts'

export type ConsoleServer = Exclude<ServerKind, 'gateway'>
export type ConsoleSchema = 'purser' | 'platform'

/**
 * Wrong passwords in a row that lock a name for their address. Each further one doubles
 * LOCK_SECONDS, up to MAX_LOCK_SECONDS.
 */
export const LOCK_AFTER_FAILURES = 5
const LOCK_SECONDS = 60
const MAX_LOCK_SECONDS = 3_600

export interface ConsoleUserRow extends Record<string, unknown> {
  readonly name: string
  readonly role: Role
  readonly made_at: Date
  readonly is_live: boolean
  readonly is_locked: boolean
  /** To the minute; null: no known use. */
  readonly used_at: Date | null
  readonly must_change: boolean
}

export interface SignInAttempt {
  readonly person: VerifiedUser
  /** The stored hash. */
  readonly password: string
  /** Attempts since the last correct password, including this one. */
  readonly failures: number
  /** The end of the lock, if this attempt is wrong; null: no lock. */
  readonly lockedUntil: Date | null
}

/** A user with a correct password. */
export interface VerifiedUser {
  readonly name: string
  readonly role: Role
  /** The number of that password. */
  readonly passwordNumber: number
  /** Another user set the password, so it must be changed first. */
  readonly mustChange: boolean
}

export interface ConsoleUserStore {
  list(db: Queryable): Promise<ConsoleUserRow[]>
  hasAny(db: Queryable): Promise<boolean>
  /** False: the name has been used before. */
  add(tx: Tx, name: string, role: Role, password: string): Promise<boolean>
  /** Adds the first user; false if a user exists. */
  addFirst(tx: Tx, name: string, password: string): Promise<boolean>
  /**
   * Counts an attempt. Undefined: no live user has the name, or the name is locked for the address.
   */
  attempt(tx: Tx, name: string, address: string): Promise<SignInAttempt | undefined>
  /** Resets the count after a correct password. */
  succeed(tx: Tx, name: string, address: string): Promise<void>
  /** For every address. */
  unlock(tx: Tx, name: string): Promise<void>
  /**
   * Returns the new password's number; undefined if no live user has the name. With `number` a user
   * replaces their own password of that number; without it another user sets the password.
   */
  setPassword(tx: Tx, name: string, password: string, number?: number): Promise<number | undefined>
  end(tx: Tx, name: string): Promise<boolean>
}

interface AttemptRow extends Record<string, unknown> {
  readonly role: Role
  readonly password: string
  readonly number: number
  readonly must_change: boolean
  readonly failures: number
  readonly locked_until: Date | null
}

export function createConsoleUserStore(schema: ConsoleSchema): ConsoleUserStore {
  const sql = createStatements(schema)
  const isDone = async (tx: Tx, query: (typeof sql)[keyof typeof sql], values: unknown[]) =>
    (await tx.query(query, values)).length > 0
  return {
    list: (db) => db.query<ConsoleUserRow>(sql.list),
    hasAny: async (db) => (await db.query(sql.anybody)).length > 0,
    add: (tx, name, role, password) => isDone(tx, sql.add, [name, role, password]),
    addFirst: (tx, name, password) => isDone(tx, sql.addFirst, [name, password]),
    async attempt(tx, name, address) {
      const [row] = await tx.query<AttemptRow>(sql.attempt, [
        ...[name, address, LOCK_AFTER_FAILURES, LOCK_SECONDS, MAX_LOCK_SECONDS],
      ])
      if (row === undefined) return undefined
      const { role, password, number, must_change: mustChange, failures, locked_until: lockedUntil } = row
      return { person: { name, role, passwordNumber: number, mustChange }, password, failures, lockedUntil }
    },
    succeed: async (tx, name, address) => void (await tx.query(sql.succeed, [name, address])),
    unlock: async (tx, name) => void (await tx.query(sql.succeed, [name, null])),
    async setPassword(tx, name, password, number) {
      const [row] = await tx.query<{ number: number }>(sql.setPassword, [name, password, number ?? null])
      return row?.number
    },
    end: (tx, name) => isDone(tx, sql.end, [name]),
  }
}

function createStatements(schema: ConsoleSchema) {
  const named = (name: string, text: string) => statement(`${schema}_${name}`, text)
  const table = `${schema}.console_user`
  const failures = `${schema}.console_failure`
  const live = 'ends_at > statement_timestamp()'
  return {
    list: named(
      'list_console_people',
      `select name, role, made_at, used_at, must_change, ${live} as is_live,
         exists (select from ${failures} f where f.name = p.name and f.locked_until > statement_timestamp()) as is_locked
       from ${table} p order by made_at, name limit 1000`,
    ),
    anybody: named('any_console_person', `select 1 as one from ${table} limit 1`),
    add: named(
      'add_console_person',
      `insert into ${table} (name, role, password, password_at, made_at, must_change) values ($1::text, $2::text, $3::text, statement_timestamp(), statement_timestamp(), true)
       on conflict (name) do nothing returning name`,
    ),
    addFirst: named(
      'add_first_console_person',
      `insert into ${table} (name, role, password, password_at, made_at, must_change)
       select $1::text, 'admin', $2::text, statement_timestamp(), statement_timestamp(), true where not exists (select from ${table})
       on conflict (name) do nothing returning name`,
    ),
    attempt: named(
      'attempt_console_person',
      `with person as (
         select name, role, password, password_number as number, must_change from ${table} where name = $1::text and ${live}
       ), counted as (
         insert into ${failures} as f (name, address, failures, failed_at)
         select name, $2::text, 1, statement_timestamp() from person
         on conflict (name, address) do update set failures = f.failures + 1, failed_at = statement_timestamp(),
           locked_until = case when f.failures + 1 < $3::int then f.locked_until
             else statement_timestamp() + least($5::int, $4::int * 2 ^ least(f.failures + 1 - $3::int, 10)) * interval '1 second' end
         where f.locked_until <= statement_timestamp()
         returning failures, locked_until
       )
       select role, password, number, must_change, failures, case when locked_until > statement_timestamp() then locked_until end as locked_until
       from person cross join counted`,
    ),
    succeed: named(
      'succeed_console_person',
      `update ${failures} set failures = 0, locked_until = '-infinity' where name = $1::text and address = coalesce($2::text, address)`,
    ),
    setPassword: named(
      'set_console_password',
      `update ${table} set password = $2::text, password_at = statement_timestamp(), password_number = password_number + 1, must_change = $3::int is null
       where name = $1::text and ${live} and password_number = coalesce($3::int, password_number) returning password_number as number`,
    ),
    end: named(
      'end_console_person',
      `update ${table} set ends_at = statement_timestamp() where name = $1::text and ${live} returning name`,
    ),
  }
}
