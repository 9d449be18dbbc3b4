/**
 * Targets of outgoing calls: the partners of a platform, or the operators of a gateway. Each target
 * has its own clients, so that no target delays another.
 *
 * Invariant: a call to a known target waits for no query. A timer reads each known target's row
 * again, so a change by another process takes effect within REFRESH_MS. While a row is unreadable,
 * its target stays as it was.
 */
import { isDeepStrictEqual } from 'node:util'
import type { MaybePromise } from '@purser/runtime/async/maybe-promise'
import { environment } from '@purser/runtime/environment'
import { type ConnectionSettings, logConnection } from '@purser/runtime/network/connection-settings'
import type { Actor } from '../auth/audit-log/audit-log.ts'
import { type Db, type Row, statement } from '../database/db.ts'
import {
  connectionFromColumn,
  connectionToColumn,
  decryptColumn,
  decryptReplacedSecrets,
  encryptColumn,
  replacedConnection,
  type SecretTable,
} from '../database/encryption/encrypted-secrets.ts'
import type { EncryptionKeyring, StoredSecrets } from '../database/encryption/encryption-keyring.ts'

/** `Of` is the kind of target, which names the id: `partnerId`. */
export type CallTarget<Of extends string> = Readonly<Record<`${Of}Id`, string>> & {
  readonly baseUrl: string
  /** The first one signs (C-13). */
  readonly secrets: readonly string[]
  readonly connection: ConnectionSettings
}

/** Each use has its own client, so that a Rollback does not wait for bets without an answer. */
type ClientsByUse<Use extends string, Client> = Readonly<Record<Use, Client>>

export interface CallTargets<Of extends string, Use extends string, Client> {
  /** Undefined: the target does not exist. Rejects if its row cannot be read. */
  findClient(id: string, use: Use): MaybePromise<Client | undefined>
  read(id: string): Promise<CallTarget<Of> | undefined>
  /** Takes effect here at once, and in other processes within REFRESH_MS. */
  save(author: Actor, target: CallTarget<Of>, now: Date): Promise<void>
  /** By id; a row that cannot be decrypted is absent. */
  connections(ids: readonly string[]): Promise<ReadonlyMap<string, ConnectionSettings>>
  /** All known targets, by id. */
  listClients(): [string, ClientsByUse<Use, Client>][]
  /** Waits for running calls. */
  close(): Promise<void>
}

export interface CallTargetsDeps<Of extends string, Use extends string, Client> {
  readonly db: Db
  readonly keyring: EncryptionKeyring
  readonly table: SecretTable<Of>
  openClients(target: CallTarget<Of>): ClientsByUse<Use, Client>
}

/** Milliseconds until a change by another process takes effect, while the database answers. */
const REFRESH_MS = 5_000
const READ_EVERY_MS = REFRESH_MS / 2

export function createCallTargets<Of extends string, Use extends string, Client extends { close(): Promise<void> }>(
  deps: CallTargetsDeps<Of, Use, Client>,
): CallTargets<Of, Use, Client> {
  const known = new Map<string, { readonly target: CallTarget<Of>; readonly clients: ClientsByUse<Use, Client> }>()
  const { readRows, toTarget, idOf, save } = createTargetStore(deps)
  const read = async (id: string) => {
    const [row] = await readRows([id])
    return row && toTarget(row)
  }
  let isClosed = false
  /** Replaced clients finish their calls, and stay open for a call that begins in this turn. */
  const putTarget = (id: string, target: CallTarget<Of> | undefined) => {
    if (isClosed) return // no later step would close the new clients
    const before = known.get(id)
    // The new entry tells `refresh` that rows read before it are outdated.
    if (before !== undefined && isDeepStrictEqual(before.target, target)) return void known.set(id, { ...before })
    if (target === undefined) known.delete(id)
    else known.set(id, { target, clients: deps.openClients(target) })
    if (before !== undefined) environment.nextTurn(() => void closeClients(before.clients))
  }
  const loadTarget = async (id: string, use: Use) => {
    const target = await read(id)
    if (!known.has(id)) putTarget(id, target) // a target that was saved meanwhile is newer
    return known.get(id)?.clients[use]
  }
  const refresh = async () => {
    const before = [...known]
    const rows = before.length === 0 ? [] : await readRows(before.map(([id]) => id))
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const [id, entry] of before) if (known.get(id) === entry) putIfReadable(found.get(id), id)
  }
  const putIfReadable = (row: TargetRow | undefined, id: string) => {
    try {
      putTarget(id, row && toTarget(row))
    } catch {} // written without the encryption key (O-5): the known target stays
  }
  let reading: Promise<void> | undefined
  const stop = environment.setRepeatingTimer(READ_EVERY_MS, () => {
    reading ??= refresh()
      .catch(() => {})
      .finally(() => (reading = undefined))
  })
  const connections = async (ids: readonly string[]) => {
    const found = new Map<string, ConnectionSettings>()
    for (const row of await readRows(ids)) {
      try {
        found.set(row.id, toTarget(row).connection)
      } catch {} // a row that cannot be decrypted has nothing to show
    }
    return found
  }
  return {
    connections,
    findClient: (id, use) => known.get(id)?.clients[use] ?? loadTarget(id, use),
    read,
    async save(author, target, now) {
      await save(author, target, now)
      putTarget(idOf(target), target)
    },
    listClients: () => [...known].map(([id, { clients }]) => [id, clients]),
    async close() {
      stop()
      isClosed = true
      const last = [...known.values()]
      known.clear()
      await Promise.all(last.map(({ clients }) => closeClients(clients)))
    },
  }
}

async function closeClients(clients: ClientsByUse<string, { close(): Promise<void> }>): Promise<void> {
  await Promise.all(Object.values(clients).map((client) => client.close()))
}

interface TargetRow extends Row {
  id: string
  base_url: string
  secrets: StoredSecrets
  connection: StoredSecrets | null
}

function createTargetStore<Of extends string>({
  db,
  keyring,
  table,
}: Pick<CallTargetsDeps<Of, never, never>, 'db' | 'keyring' | 'table'>) {
  const { read, add, lock, change } = createStatements(table)
  const idName = `${table.of}Id` as const
  const idOf = (target: Readonly<Record<`${Of}Id`, string>>): string => target[idName]
  return {
    idOf,
    readRows: (ids: readonly string[]) => db.query<TargetRow>(read, [ids]),
    toTarget: ({ id, base_url: baseUrl, secrets, connection }: TargetRow) =>
      ({
        ...{ [idName]: id, baseUrl, secrets: decryptColumn(keyring, table, id, secrets) },
        connection: connectionFromColumn(keyring, table, id, connection),
      }) as CallTarget<Of>,
    save: (author: Actor, target: CallTarget<Of>, at: Date) =>
      db.transaction(async (tx) => {
        const { baseUrl, secrets, connection } = target
        const id = idOf(target)
        const encrypted = [
          encryptColumn(keyring, table, id, secrets),
          connectionToColumn(keyring, table, id, connection),
        ]
        const isNew = (await tx.execute(add, [id, baseUrl, ...encrypted, at])) === 1
        const [row] = isNew ? [] : await tx.query<TargetRow>(lock, [id])
        const before = row && {
          ...{ baseUrl: row.base_url, secret: decryptReplacedSecrets(keyring, table, id, row.secrets) },
          ...logConnection(replacedConnection(keyring, table, id, row.connection)),
        }
        const after = { baseUrl, secret: secrets, ...logConnection(connection) }
        await Promise.all([
          row && tx.execute(change, [id, baseUrl, ...encrypted]),
          author.record(tx, { on: { [idName]: id }, before: before ?? {}, after, at }),
        ])
      }),
  }
}

function createStatements({ table, of }: SecretTable) {
  const [schema] = table.split('.')
  const select = `select ${of}_id as id, base_url, secrets, connection from ${table}`
  return {
    read: statement(`${schema}_read_${of}s`, `${select} where ${of}_id = any($1::text[])`),
    add: statement(
      `${schema}_add_${of}`,
      `insert into ${table} (${of}_id, base_url, secrets, connection, created_at)
       values ($1, $2, $3::json, $4::json, $5::timestamptz)
       on conflict (${of}_id) do nothing`,
    ),
    lock: statement(`${schema}_lock_${of}`, `${select} where ${of}_id = $1 for update`),
    change: statement(
      `${schema}_change_${of}`,
      `update ${table} set base_url = $2, secrets = $3::json, connection = $4::json where ${of}_id = $1`,
    ),
  }
}
