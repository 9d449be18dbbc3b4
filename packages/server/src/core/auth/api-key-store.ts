/**
 * Store of the API keys of one server (W-25): the SHA-256 of each key, found by name and number.
 * The database's clock decides when a key ends, because the clocks of hosts may differ.
 *
 * States of a key:
 * - live: a rotation replaces it → expiring; revoked → ended
 * - expiring: its end passes, or revoked → ended
 *
 * Invariant: an ended key never works again, and a name is never reused. A rotation may wait for
 * the lock while a revoke ends the key. So each statement uses its own start time, not its
 * transaction's.
 */

import { type Queryable, statement, type Tx } from '../database/db.ts'
import { buildQuery } from '../database/query-builder.ts'
import type { KeyRight } from '../http/api/key-rights.ts'
import type { Role } from '../http/api/principal.ts'
import { abbreviateHash, generateApiKey, hashCredential } from './api-key.ts'
import type { AuthSchema } from './auth-settings.ts'

const DAY_S = 86_400
export const MAX_KEY_OVERLAP_S = 30 * DAY_S
export const KEY_OVERLAP_S = DAY_S

/** No setting has such a name. */
export const KEY_NAME_PATTERN = '^[a-z0-9][a-z0-9._-]{0,63}$'

/** For one API, so that each process can cache all live keys. */
const MAX_LIVE_KEYS = 1_000

export interface NewKey {
  readonly name: string
  readonly role: Role
  readonly rights?: readonly KeyRight[] | undefined
  readonly scope?: string | undefined
  readonly expiresAt?: Date | undefined
}

export interface CreatedKey {
  readonly kind: 'made'
  readonly name: string
  readonly role: Role
  readonly rights?: readonly KeyRight[]
  readonly scope?: string
  /** Absent: the key does not expire. */
  readonly expiresAt?: Date
  /** The full key. It is shown once and not stored. */
  readonly key: string
  readonly hash: string
  readonly madeAt: Date
  /** The time until which earlier keys of this name still work. */
  readonly earlierEndAt?: Date
}

export type KeyCreationResult = CreatedKey | { readonly kind: 'taken' | 'too_many' | 'unknown' | 'ended' | 'past' }

export const KEY_REJECTION_TEXTS = {
  taken: 'a key with this name exists: rotate it, or choose another name',
  too_many: 'the number of keys is at its limit: revoke unused keys',
  unknown: 'no key has this name: list the keys for their names',
  ended: 'this key was revoked or has expired: create a key with another name',
  past: 'the key would already be expired: choose a later time',
} as const

export interface LiveKey extends Record<string, unknown> {
  readonly name: string
  readonly role: Role
  readonly rights: KeyRight[] | null
  readonly scope: string | null
  /** Hexadecimal. */
  readonly hash: string
  /** Milliseconds until the key ends; null: no end. */
  readonly left: number | null
}

export interface KeyRow extends Record<string, unknown> {
  readonly name: string
  readonly number: number
  readonly role: Role
  readonly rights: KeyRight[] | null
  readonly scope: string | null
  /** Hexadecimal. */
  readonly hash: string
  readonly made_at: Date
  readonly ends_at: Date | null
  readonly is_live: boolean
  /** To the minute; null: no known use. */
  readonly used_at: Date | null
}

export interface KeyListPosition {
  readonly at: Date
  readonly ids: readonly string[]
}

export interface KeyStore {
  live(db: Queryable): Promise<LiveKey[]>
  list(db: Queryable, after: KeyListPosition | undefined, limit: number): Promise<KeyRow[]>
  make(tx: Tx, newKey: NewKey): Promise<KeyCreationResult>
  /** Earlier keys of this name work for at most `overlapSeconds` more. */
  rotate(tx: Tx, name: string, overlapSeconds: number): Promise<KeyCreationResult>
  /** Writes at most once a minute. */
  use(tx: Tx, hash: Buffer): Promise<void>
  /** False: the key had already ended. Undefined: no key has this name. */
  revoke(tx: Tx, name: string): Promise<boolean | undefined>
}

export function createKeyStore(schema: AuthSchema): KeyStore {
  const sql = createStatements(schema)
  /** `lifetime`: the seconds between creation and end of the rotated key. */
  const add = async (tx: Tx, number: number, newKey: NewKey & { lifetime?: number | null }) => {
    const { name, role, rights, scope, expiresAt, lifetime } = newKey
    const key = generateApiKey()
    const hash = hashCredential(key)
    const values = [name, number, role, hash, rights ?? null, expiresAt ?? null, lifetime ?? null, scope ?? null]
    const [row] = await tx.query<{ made_at: Date; ends_at: Date | null }>(sql.add, values)
    if (row === undefined) return undefined
    const { made_at: madeAt, ends_at } = row
    const created: CreatedKey = { kind: 'made', name, role, key, hash: abbreviateHash(hash), madeAt }
    return { ...created, ...(rights && { rights }), ...(scope && { scope }), ...(ends_at && { expiresAt: ends_at }) }
  }
  return {
    live: (db) => db.query<LiveKey>(sql.live),
    list: (db, after, limit) => listKeys(db, schema, after, limit),
    async make(tx, newKey) {
      if (await hasMaxLiveKeys(tx, sql)) return { kind: 'too_many' }
      return (await add(tx, 1, newKey)) ?? { kind: 'taken' }
    },
    async rotate(tx, name, overlapSeconds) {
      const known = await lockNewest(tx, sql, name)
      if (known === undefined) return { kind: 'unknown' }
      if (!known.is_live) return { kind: 'ended' }
      if (await hasMaxLiveKeys(tx, sql)) return { kind: 'too_many' }
      const earlier = await tx.query<{ ends_at: Date }>(sql.end, [name, overlapSeconds])
      const { number, role, rights, scope, lifetime } = known
      const created = await add(tx, number + 1, {
        name,
        role,
        rights: rights ?? undefined,
        scope: scope ?? undefined,
        lifetime,
      })
      if (created === undefined) throw new Error(`${name} was rotated although its lock was held`)
      const earlierEndAt = new Date(Math.max(...earlier.map(({ ends_at }) => ends_at.getTime())))
      return { ...created, earlierEndAt }
    },
    use: async (tx, hash) => void (await tx.execute(sql.use, [hash])),
    async revoke(tx, name) {
      if ((await lockNewest(tx, sql, name)) === undefined) return undefined
      return (await tx.query(sql.end, [name, 0])).length > 0
    },
  }
}

type Statements = ReturnType<typeof createStatements>

function createStatements(schema: AuthSchema) {
  const named = (name: string, text: string) => statement(`${schema}_${name}`, text)
  return {
    live: named(
      'read_live_keys',
      `select name, role, rights, scope, encode(hash, 'hex') as hash, case when ends_at < 'infinity' then (date_part('epoch', ends_at - statement_timestamp()) * 1000) end as left
       from ${schema}.api_key where ends_at > statement_timestamp()`,
    ),
    count: named(
      'count_live_keys',
      `select count(*)::int as live from ${schema}.api_key where ends_at > statement_timestamp()`,
    ),
    add: named(
      'add_key',
      `insert into ${schema}.api_key (name, number, role, hash, made_at, rights, ends_at, scope)
       values ($1::text, $2::int, $3::text, $4::bytea, date_trunc('milliseconds', statement_timestamp()), $5::text[],
         coalesce($6::timestamptz, date_trunc('milliseconds', statement_timestamp()) + $7::float8 * interval '1 second', 'infinity'), $8::text)
       on conflict (name, number) do nothing returning made_at, nullif(ends_at, 'infinity') as ends_at`,
    ),
    lock: named('lock_key', `select name from ${schema}.api_key where name = $1::text and number = 1 for update`),
    newest: named(
      'read_newest_key',
      `select number, role, rights, scope, ends_at > statement_timestamp() as is_live,
         case when ends_at < 'infinity' then date_part('epoch', ends_at - made_at) end as lifetime
       from ${schema}.api_key where name = $1::text order by number desc limit 1`,
    ),
    use: named(
      'use_key',
      `update ${schema}.api_key set used_at = statement_timestamp()
       where hash = $1::bytea and (used_at is null or used_at < statement_timestamp() - interval '1 minute')`,
    ),
    end: named(
      'end_keys',
      `update ${schema}.api_key set ends_at = least(ends_at, statement_timestamp() + $2::int * interval '1 second')
       where name = $1::text and ends_at > statement_timestamp() returning ends_at`,
    ),
  }
}

async function hasMaxLiveKeys(tx: Tx, sql: Statements): Promise<boolean> {
  const [row] = await tx.query<{ live: number }>(sql.count)
  return row === undefined || row.live >= MAX_LIVE_KEYS
}

interface NewestRow extends Record<string, unknown> {
  readonly number: number
  readonly role: Role
  readonly rights: KeyRight[] | null
  readonly scope: string | null
  readonly is_live: boolean
  /** Seconds; null: no end. */
  readonly lifetime: number | null
}

/** Locks all keys of a name, through its first key, and returns the newest. */
async function lockNewest(tx: Tx, sql: Statements, name: string) {
  const [, [newest]] = await Promise.all([tx.query(sql.lock, [name]), tx.query<NewestRow>(sql.newest, [name])])
  return newest
}

function listKeys(
  db: Queryable,
  schema: AuthSchema,
  after: KeyListPosition | undefined,
  limit: number,
): Promise<KeyRow[]> {
  const [name, number] = after?.ids ?? []
  const { statement: list, values } = buildQuery(
    `${schema}_list_keys`,
    [limit],
    { after: after && ['(made_at, name, number) < (?::timestamptz, ?::text, ?::int)', after.at, name, number] },
    (conditions) =>
      `select name, number, role, rights, scope, encode(hash, 'hex') as hash, made_at, nullif(ends_at, 'infinity') as ends_at, ends_at > statement_timestamp() as is_live, used_at
       from ${schema}.api_key where true${conditions} order by made_at desc, name desc, number desc limit $1::int`,
  )
  return db.query<KeyRow>(list, values)
}
