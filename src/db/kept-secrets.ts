/** The secrets in a table's rows: read and written under the keyring, and looked through at every start (O-5). */
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, type Statement, statement, type Tx } from './db.ts'
import type { Kept, Keyring, Unreadable } from './keyring.ts'

/** A table whose column `secrets` holds them. */
export interface SecretTable {
  readonly table: string
  /** What a row is, for people: "partner". */
  readonly of: string
  readonly readAll: Statement
  readonly lockAll: Statement
  readonly write: Statement
}

function secretTable(schema: 'platform' | 'gateway', of: string): SecretTable {
  const table = `${schema}.${of}`
  const readAll = `select ${of}_id as id, secrets from ${table} order by ${of}_id`
  return {
    ...{ table, of },
    readAll: statement(`${schema}_read_secrets`, readAll),
    lockAll: statement(`${schema}_lock_secrets`, `${readAll} for update`),
    write: statement(
      `${schema}_write_secrets`,
      `update ${table} t set secrets = r.secrets::json from unnest($1::text[], $2::text[]) as r (id, secrets) where t.${of}_id = r.id`,
    ),
  }
}

export const SECRET_TABLES = {
  platform: secretTable('platform', 'partner'),
  gateway: secretTable('gateway', 'operator'),
} as const

/** For the column. */
export function toColumn(keyring: Keyring, { table }: SecretTable, id: string, secrets: readonly string[]): string {
  return JSON.stringify(keyring.seal(secrets, `${table} ${id}`))
}

/** Throws when it cannot be read: a start has looked, so that somebody has changed key or row since. */
export function fromColumn(keyring: Keyring, { table, of }: SecretTable, id: string, kept: Kept): readonly string[] {
  const opened = keyring.open(kept, `${table} ${id}`)
  if (opened.kind === 'opened') return opened.secrets
  throw new Error(`the secrets of the ${of} ${id} ${explain(opened)}`)
}

function explain(unreadable: Unreadable): string {
  return unreadable.kind === 'unknown_key'
    ? `are encrypted with the key ${unreadable.key}, which PURSER_ENCRYPTION_KEY has not`
    : 'have been changed, or moved from another row'
}

interface SecretRow extends Record<string, unknown> {
  id: string
  secrets: Kept
}

/**
 * Encrypts what is not encrypted with the first key. Throws, with everything as it was, when there is something that this process could
 * not read: without secrets no call can be signed.
 */
export async function prepareSecrets(db: Db, keyring: Keyring, table: SecretTable): Promise<void> {
  const rows = await db.query<SecretRow>(table.readAll)
  requireReadable(keyring, table, rows)
  if (rows.every(({ secrets }) => keyring.isCurrent(secrets))) return
  await db.transaction((tx) => sealAll(tx, keyring, table))
}

async function sealAll(tx: Tx, keyring: Keyring, table: SecretTable): Promise<void> {
  const rows = await tx.query<SecretRow>(table.lockAll)
  requireReadable(keyring, table, rows)
  const old = rows.filter(({ secrets }) => !keyring.isCurrent(secrets))
  const sealed = old.map(({ id, secrets }) => toColumn(keyring, table, id, fromColumn(keyring, table, id, secrets)))
  await tx.execute(table.write, [old.map(({ id }) => id), sealed])
}

function requireReadable(keyring: Keyring, { table, of }: SecretTable, rows: readonly SecretRow[]): void {
  const opened = rows.map(({ id, secrets }) => ({ id, opened: keyring.open(secrets, `${table} ${id}`) }))
  const unreadable = opened.flatMap(({ id, opened: it }) => (it.kind === 'opened' ? [] : [{ id, it }]))
  const [first] = unreadable
  if (first === undefined) return
  const has = keyring.keys.length === 0 ? 'is not set' : `has ${keyring.keys.join(', ')}`
  throw new WrongUse(
    [
      `the secrets of ${unreadable.length} of ${rows.length} ${of}s cannot be read; PURSER_ENCRYPTION_KEY ${has}:`,
      `  those of ${first.id} ${explain(first.it)}`,
      'nothing was changed; start with the key that they are encrypted with, after a comma if there is a newer one',
    ].join('\n'),
  )
}
