/** Secrets in a table's rows. The keyring encrypts them, and each start checks them all (O-5). */
import type { ConnectionSettings } from '../runtime/connection-settings.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, type Statement, statement, type Tx } from './db.ts'
import { isSealed, type Kept, type Keyring, type Opened, type Unreadable } from './keyring.ts'

/** A table with a column `secrets`, and a column `connection` that may be null (O-20). */
export interface SecretTable<Of extends string = string> {
  readonly table: string
  /** The noun of a row in sentences: "partner". */
  readonly of: Of
  readonly readAll: Statement
  readonly lockAll: Statement
  readonly write: Statement
}

function secretTable<Of extends string>(schema: 'purser' | 'platform' | 'gateway', of: Of): SecretTable<Of> {
  const table = `${schema}.${of}`
  const readAll = `select ${of}_id as id, secrets, connection from ${table} order by ${of}_id`
  return {
    ...{ table, of },
    readAll: statement(`${schema}_read_secrets`, readAll),
    lockAll: statement(`${schema}_lock_secrets`, `${readAll} for update`),
    write: statement(
      `${schema}_write_secrets`,
      `update ${table} t set secrets = r.secrets::json, connection = r.connection::json
       from unnest($1::text[], $2::text[], $3::text[]) as r (id, secrets, connection) where t.${of}_id = r.id`,
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

/** Throws when it cannot be read. The start has read it, so key or row have changed since. */
export function fromColumn(keyring: Keyring, table: SecretTable, id: string, kept: Kept): readonly string[] {
  return opened(table, id, keyring.open(kept, `${table.table} ${id}`))
}

/** The seal is bound to the column, so neither column's value is valid in the other. */
export function connectionToColumn(
  keyring: Keyring,
  table: SecretTable,
  id: string,
  settings: ConnectionSettings,
): string | null {
  if (Object.keys(settings).length === 0) return null
  return JSON.stringify(keyring.seal([JSON.stringify(settings)], connectionOf(table, id)))
}

/** Throws as `fromColumn`. */
export function connectionFromColumn(
  keyring: Keyring,
  table: SecretTable,
  id: string,
  kept: Kept | null,
): ConnectionSettings {
  if (kept === null) return {}
  return settingsIn(opened(table, id, keyring.open(kept, connectionOf(table, id))))
}

/** As `replacedSecrets`. */
export function replacedConnection(
  keyring: Keyring,
  table: SecretTable,
  id: string,
  kept: Kept | null,
): ConnectionSettings {
  const opened = keyring.open(kept ?? [], connectionOf(table, id))
  return opened.kind === 'opened' ? settingsIn(opened.secrets) : {}
}

const connectionOf = ({ table }: SecretTable, id: string) => `${table}.connection ${id}`

function settingsIn([text = '{}']: readonly string[]): ConnectionSettings {
  return JSON.parse(text) as ConnectionSettings
}

function opened({ of }: SecretTable, id: string, it: Opened): readonly string[] {
  if (it.kind === 'opened') return it.secrets
  throw new Error(`the secrets of the ${of} ${id} ${explain(it)}`)
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

/** A start also takes values that are not encrypted yet. */
function openAtStart(keyring: Keyring, kept: Kept, row: string): Opened {
  return isSealed(kept) ? keyring.open(kept, row) : { kind: 'opened', secrets: kept }
}

interface SecretRow extends Record<string, unknown> {
  id: string
  secrets: Kept
  connection: Kept | null
}

interface PlainSecrets {
  readonly id: string
  readonly secrets: readonly string[]
  readonly settings: ConnectionSettings
}

/**
 * Encrypts all values with the first key. Throws, and changes nothing, when this process cannot
 * read one: without secrets no call can be signed.
 */
export async function prepareSecrets(db: Db, keyring: Keyring, table: SecretTable): Promise<void> {
  const rows = await db.query<SecretRow>(table.readAll)
  readable(keyring, table, rows)
  if (rows.every((row) => isCurrent(keyring, row))) return
  await db.transaction((tx) => sealAll(tx, keyring, table))
}

function isCurrent(keyring: Keyring, { secrets, connection }: SecretRow): boolean {
  return keyring.isCurrent(secrets) && (connection === null || keyring.isCurrent(connection))
}

async function sealAll(tx: Tx, keyring: Keyring, table: SecretTable): Promise<void> {
  const rows = await tx.query<SecretRow>(table.lockAll)
  const old = rows.filter((row) => !isCurrent(keyring, row))
  const sealed = readable(keyring, table, old).map(({ id, secrets, settings }) => ({
    ...{ id, secrets: toColumn(keyring, table, id, secrets) },
    connection: connectionToColumn(keyring, table, id, settings),
  }))
  await tx.execute(table.write, [
    sealed.map(({ id }) => id),
    sealed.map(({ secrets }) => secrets),
    sealed.map(({ connection }) => connection),
  ])
}

/** Throws when a row cannot be read. */
function readable(keyring: Keyring, table: SecretTable, rows: readonly SecretRow[]): PlainSecrets[] {
  const tried = rows.map((row) => openRow(keyring, table, row))
  const [first, ...others] = tried.filter((row) => 'unreadable' in row)
  if (first === undefined) return tried.filter((row) => 'settings' in row)
  const { of } = table
  const has = keyring.keys.length === 0 ? 'is not set' : `has ${keyring.keys.join(', ')}`
  throw new WrongUse(
    [
      `the secrets of ${1 + others.length} of ${rows.length} ${of}s cannot be read; PURSER_ENCRYPTION_KEY ${has}:`,
      `  those of ${first.id} ${explain(first.unreadable)}`,
      'nothing was changed; start with the key that they are encrypted with, after a comma if there is a newer one',
    ].join('\n'),
  )
}

function openRow(
  keyring: Keyring,
  table: SecretTable,
  { id, secrets: kept, connection }: SecretRow,
): PlainSecrets | { readonly id: string; readonly unreadable: Unreadable } {
  const secrets = openAtStart(keyring, kept, `${table.table} ${id}`)
  if (secrets.kind !== 'opened') return { id, unreadable: secrets }
  const settings = openAtStart(keyring, connection ?? [], connectionOf(table, id))
  if (settings.kind !== 'opened') return { id, unreadable: settings }
  return { id, secrets: secrets.secrets, settings: settingsIn(settings.secrets) }
}
