/**
 * Encrypted secrets in table rows. The keyring encrypts them, and each start verifies all (O-5).
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { ConnectionSettings } from '@purser/runtime/network/connection-settings'
import { type Db, type Statement, statement, type Tx } from '../db.ts'
import {
  type DecryptionFailure,
  type DecryptionResult,
  type EncryptionKeyring,
  isEncrypted,
  type StoredSecrets,
} from './encryption-keyring.ts'

/** A table with a column `secrets` and a nullable column for connection settings (O-20). */
export interface SecretTable<Of extends string = string> {
  readonly table: string
  /** Noun for a row in messages, such as "partner". */
  readonly of: Of
  readonly readAll: Statement
  readonly lockAll: Statement
  readonly write: Statement
}

function defineSecretTable<Of extends string>(schema: 'purser' | 'platform' | 'gateway', of: Of): SecretTable<Of> {
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
  wallet: defineSecretTable('purser', 'webhook'),
  platform: defineSecretTable('platform', 'partner'),
  gateway: defineSecretTable('gateway', 'operator'),
} as const

export function encryptColumn(
  keyring: EncryptionKeyring,
  { table }: SecretTable,
  id: string,
  secrets: readonly string[],
): string {
  return JSON.stringify(keyring.encrypt(secrets, `${table} ${id}`))
}

/** Throws when the secrets are unreadable: the key or the row has changed since the start. */
export function decryptColumn(
  keyring: EncryptionKeyring,
  table: SecretTable,
  id: string,
  stored: StoredSecrets,
): readonly string[] {
  return opened(table, id, keyring.decrypt(stored, `${table.table} ${id}`))
}

/** The ciphertext is bound to the column, so neither column accepts the other's value. */
export function connectionToColumn(
  keyring: EncryptionKeyring,
  table: SecretTable,
  id: string,
  settings: ConnectionSettings,
): string | null {
  if (Object.keys(settings).length === 0) return null
  return JSON.stringify(keyring.encrypt([JSON.stringify(settings)], connectionOf(table, id)))
}

/** Throws under the same condition as `decryptColumn`. */
export function connectionFromColumn(
  keyring: EncryptionKeyring,
  table: SecretTable,
  id: string,
  stored: StoredSecrets | null,
): ConnectionSettings {
  if (stored === null) return {}
  return settingsIn(opened(table, id, keyring.decrypt(stored, connectionOf(table, id))))
}

/** Unreadable settings count as empty, as in `decryptReplacedSecrets`. */
export function replacedConnection(
  keyring: EncryptionKeyring,
  table: SecretTable,
  id: string,
  stored: StoredSecrets | null,
): ConnectionSettings {
  const decrypted = keyring.decrypt(stored ?? [], connectionOf(table, id))
  return decrypted.kind === 'opened' ? settingsIn(decrypted.secrets) : {}
}

const connectionOf = ({ table }: SecretTable, id: string) => `${table}.connection ${id}`

function settingsIn([text = '{}']: readonly string[]): ConnectionSettings {
  return JSON.parse(text) as ConnectionSettings
}

function opened({ of }: SecretTable, id: string, it: DecryptionResult): readonly string[] {
  if (it.kind === 'opened') return it.secrets
  throw new Error(`the secrets of the ${of} ${id} ${explainFailure(it)}`)
}

/** Secrets that a change replaces. Unreadable secrets can be replaced too, and count as none. */
export function decryptReplacedSecrets(
  keyring: EncryptionKeyring,
  { table }: SecretTable,
  id: string,
  stored: StoredSecrets,
): readonly string[] {
  const decrypted = keyring.decrypt(stored, `${table} ${id}`)
  return decrypted.kind === 'opened' ? decrypted.secrets : []
}

function explainFailure(unreadable: DecryptionFailure): string {
  switch (unreadable.kind) {
    case 'unknown_key':
      return `are encrypted with the key ${unreadable.key}, which PURSER_ENCRYPTION_KEY does not contain`
    case 'not_authentic':
      return 'have been changed, or moved from another row'
    case 'not_encrypted':
      return 'are not encrypted, although a key is set: if you wrote them, save them again'
    default:
      return unreadable satisfies never
  }
}

/** A start also accepts values that are not encrypted yet. */
function decryptAtStart(keyring: EncryptionKeyring, stored: StoredSecrets, row: string): DecryptionResult {
  return isEncrypted(stored) ? keyring.decrypt(stored, row) : { kind: 'opened', secrets: stored }
}

interface SecretRow extends Record<string, unknown> {
  id: string
  secrets: StoredSecrets
  connection: StoredSecrets | null
}

interface PlainSecrets {
  readonly id: string
  readonly secrets: readonly string[]
  readonly settings: ConnectionSettings
}

/**
 * Encrypts all values with the first key. Throws, and changes nothing, when a value is unreadable:
 * without its secret no call can be signed.
 */
export async function encryptStoredSecrets(db: Db, keyring: EncryptionKeyring, table: SecretTable): Promise<void> {
  const rows = await db.query<SecretRow>(table.readAll)
  requireReadable(keyring, table, rows)
  if (rows.every((row) => isCurrent(keyring, row))) return
  await db.transaction((tx) => encryptAll(tx, keyring, table))
}

function isCurrent(keyring: EncryptionKeyring, { secrets, connection }: SecretRow): boolean {
  return keyring.isCurrent(secrets) && (connection === null || keyring.isCurrent(connection))
}

async function encryptAll(tx: Tx, keyring: EncryptionKeyring, table: SecretTable): Promise<void> {
  const rows = await tx.query<SecretRow>(table.lockAll)
  const old = rows.filter((row) => !isCurrent(keyring, row))
  const encrypted = requireReadable(keyring, table, old).map(({ id, secrets, settings }) => ({
    ...{ id, secrets: encryptColumn(keyring, table, id, secrets) },
    connection: connectionToColumn(keyring, table, id, settings),
  }))
  await tx.execute(table.write, [
    encrypted.map(({ id }) => id),
    encrypted.map(({ secrets }) => secrets),
    encrypted.map(({ connection }) => connection),
  ])
}

function requireReadable(keyring: EncryptionKeyring, table: SecretTable, rows: readonly SecretRow[]): PlainSecrets[] {
  const tried = rows.map((row) => openRow(keyring, table, row))
  const [first, ...others] = tried.filter((row) => 'unreadable' in row)
  if (first === undefined) return tried.filter((row) => 'settings' in row)
  const { of } = table
  const has = keyring.keys.length === 0 ? 'is not set' : `has ${keyring.keys.join(', ')}`
  throw new UsageError(
    [
      `the secrets of ${1 + others.length} of ${rows.length} ${of}s cannot be read; PURSER_ENCRYPTION_KEY ${has}:`,
      `  the secrets of ${first.id} ${explainFailure(first.unreadable)}`,
      'nothing was changed; add the key that encrypted them, after a comma if a newer key is set',
    ].join('\n'),
  )
}

function openRow(
  keyring: EncryptionKeyring,
  table: SecretTable,
  { id, secrets: stored, connection }: SecretRow,
): PlainSecrets | { readonly id: string; readonly unreadable: DecryptionFailure } {
  const secrets = decryptAtStart(keyring, stored, `${table.table} ${id}`)
  if (secrets.kind !== 'opened') return { id, unreadable: secrets }
  const settings = decryptAtStart(keyring, connection ?? [], connectionOf(table, id))
  if (settings.kind !== 'opened') return { id, unreadable: settings }
  return { id, secrets: secrets.secrets, settings: settingsIn(settings.secrets) }
}
