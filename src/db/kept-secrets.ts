/** The secrets in a table's rows: read and written under the keyring, and looked through at every start (O-5). */
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, type Statement, statement, type Tx } from './db.ts'
import { isSealed, type Kept, type Keyring, type Opened, type Unreadable } from './keyring.ts'

/** A table whose column `secrets` holds them. */
export interface SecretTable<Of extends string = string> {
  readonly table: string
  /** What a row is, for people: "partner". */
  readonly of: Of
  readonly readAll: Statement
  readonly lockAll: Statement
  readonly write: Statement
}

function secretTable<Of extends string>(schema: 'purser' | 'platform' | 'gateway', of: Of): SecretTable<Of> {
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
  wallet: secretTable('purser', 'webhook'),
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

/** Those that a change replaces; none of what cannot be read, and is replaced all the same. */
export function replacedSecrets(keyring: Keyring, { table }: SecretTable, id: string, kept: Kept): readonly string[] {
  const opened = keyring.open(kept, `${table} ${id}`)
  return opened.kind === 'opened' ? opened.secrets : []
}

function explain(unreadable: Unreadable): string {
  switch (unreadable.kind) {
    case 'unknown_key':
      return `are encrypted with the key ${unreadable.key}, which PURSER_ENCRYPTION_KEY has not`
    case 'not_authentic':
      return 'have been changed, or moved from another row'
    case 'not_encrypted':
      return 'are not encrypted, though there is a key: save them again, if it was you who put them there'
    default:
      return unreadable satisfies never
  }
}

/** A start takes what nobody has encrypted yet. */
function openAtStart(keyring: Keyring, { table }: SecretTable, { id, secrets }: SecretRow): Opened {
  return isSealed(secrets) ? keyring.open(secrets, `${table} ${id}`) : { kind: 'opened', secrets }
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
  readable(keyring, table, rows)
  if (rows.every(({ secrets }) => keyring.isCurrent(secrets))) return
  await db.transaction((tx) => sealAll(tx, keyring, table))
}

async function sealAll(tx: Tx, keyring: Keyring, table: SecretTable): Promise<void> {
  const rows = await tx.query<SecretRow>(table.lockAll)
  const old = rows.filter(({ secrets }) => !keyring.isCurrent(secrets))
  const opened = readable(keyring, table, old)
  const sealed = opened.map(({ id, secrets }) => toColumn(keyring, table, id, secrets))
  await tx.execute(table.write, [old.map(({ id }) => id), sealed])
}

/** Throws when there is one that is not. */
function readable(
  keyring: Keyring,
  table: SecretTable,
  rows: readonly SecretRow[],
): { id: string; secrets: readonly string[] }[] {
  const opened = rows.map((row) => ({ id: row.id, it: openAtStart(keyring, table, row) }))
  const unreadable = opened.flatMap(({ id, it }) => (it.kind === 'opened' ? [] : [{ id, it }]))
  const [first] = unreadable
  if (first === undefined)
    return opened.flatMap(({ id, it }) => (it.kind === 'opened' ? [{ id, secrets: it.secrets }] : []))
  const { of } = table
  const has = keyring.keys.length === 0 ? 'is not set' : `has ${keyring.keys.join(', ')}`
  throw new WrongUse(
    [
      `the secrets of ${unreadable.length} of ${rows.length} ${of}s cannot be read; PURSER_ENCRYPTION_KEY ${has}:`,
      `  those of ${first.id} ${explain(first.it)}`,
      'nothing was changed; start with the key that they are encrypted with, after a comma if there is a newer one',
    ].join('\n'),
  )
}
