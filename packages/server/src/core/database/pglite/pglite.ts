/**
 * `Db` on PGlite, which is Postgres in this process, compiled to WebAssembly.
 *
 * It has one connection, so transactions run one after another. Its data survives `kill -9`, but no
 * power loss, because fsync is off.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import { makePrivateFolder, requireAccess } from '@purser/runtime/text/private-folder'
import { type Db, embeddedSettingsSql, type Row, SNAPSHOT_ISOLATION, type Statement, type Tx } from '../db.ts'
import { encodeSimpleQuery } from '../postgres/postgres-messages.ts'
import { SESSION_SQL, toStrictTimeParser } from '../postgres/session-settings.ts'
import { lockFolder } from './folder-lock.ts'
import {
  encodeExecute,
  encodePrepare,
  type ProtocolResponse,
  parseDescription,
  parseResponse,
  parseRow,
  parseRowCount,
  serializeParameter,
  throwFirstError,
} from './pglite-protocol.ts'

const INT8 = 20
/** Arrays use the parser of their elements. */
const PARSERS = {
  [INT8]: BigInt,
  ...Object.fromEntries(
    [types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ].map((type) => [
      type,
      toStrictTimeParser((text) => new Date(text)),
    ]),
  ),
}

/** Major version of the Postgres in this PGlite. */
const POSTGRES_VERSION = '18'
const PGLITE_FOLDER = 'pglite'

/** `memory://` holds no database before it is opened. */
export function hasPglite(dataDir: string): boolean {
  return !dataDir.startsWith('memory://') && existsSync(join(dataDir, PGLITE_FOLDER, 'PG_VERSION'))
}

/** Opens the folder or `memory://`. Throws while another process owns the folder. */
export async function openPglite(dataDir: string): Promise<Db> {
  const isMemory = dataDir.startsWith('memory://')
  const unlock = isMemory ? async () => {} : await lockDataFolder(dataDir)
  const target = isMemory ? dataDir : join(dataDir, PGLITE_FOLDER)
  const isNew = !isMemory && !existsSync(target)
  const pglite = await PGlite.create(target, { parsers: PARSERS }).catch(async (error: unknown) => {
    if (isNew) rmSync(target, { recursive: true, force: true }) // a partial database would be reported as damaged
    await unlock()
    if (!isNew) requireAccess(target, 'all')
    throw new UnavailableError(explainOpenFailure(dataDir, error), { cause: error })
  })
  await pglite.exec(SESSION_SQL)
  const tx = createTx(pglite)
  const transactionWith =
    (settings: string): Db['transaction'] =>
    (work) =>
      pglite.transaction(async ({ exec }) => {
        await exec(settings)
        return work(tx)
      })
  const transaction = transactionWith(embeddedSettingsSql('local'))
  const snapshot = transactionWith(`set transaction ${SNAPSHOT_ISOLATION}`)
  const query: Db['query'] = (statement, values) => pglite.transaction(() => tx.query(statement, values))
  return {
    kind: 'pglite',
    transaction,
    longTransaction: transactionWith('set transaction read write'),
    openLane: () => ({ transaction }),
    snapshot,
    reportSnapshot: snapshot,
    query,
    userQueries: { query },
    pools: () => [],
    script: (work) => pglite.transaction(() => work((sql) => runScript(pglite, sql))),
    close: async () => {
      await pglite.close()
      await unlock()
    },
  }
}

/** PGlite may throw a value that is not an Error. */
function explainOpenFailure(dataDir: string, error: unknown): string {
  const version = hasPglite(dataDir)
    ? readFileSync(join(dataDir, PGLITE_FOLDER, 'PG_VERSION'), 'utf8').trim()
    : POSTGRES_VERSION
  if (isDiskFull(error))
    return `the embedded database in ${dataDir} cannot be opened: its disk is full. Make room, or set PURSER_DATA_DIR to a folder on another disk`
  const why =
    version === POSTGRES_VERSION
      ? `its files are damaged or not complete (${error instanceof Error ? error.message : 'no reason was given'})`
      : `it was made with Postgres ${version}, this program has Postgres ${POSTGRES_VERSION}`
  return `the embedded database in ${dataDir} cannot be opened: ${why}. Keep a copy of the folder, then put a backup in its place or set PURSER_DATA_DIR to a new one`
}

/** ENOSPC in the numbering of WASI. */
const NO_SPACE = 51

function isDiskFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errno' in error && error.errno === NO_SPACE
}

async function lockDataFolder(dataDir: string): Promise<() => Promise<void>> {
  makePrivateFolder(dataDir)
  requireAccess(dataDir, 'itself')
  return lockFolder(dataDir)
}

/** Only for use in `PGlite.transaction`, which excludes all other statements. */
function createTx(pglite: PGlite): Tx {
  return {
    query: async (statement, values = []) => {
      const { columns, rows } = await runStatement(pglite, statement, values)
      return rows.map((fields) => parseRow(pglite, columns, fields)) as never
    },
    execute: async (statement, values) => parseRowCount((await runStatement(pglite, statement, values)).commandTag),
    finish: (send) => send(),
  }
}

/** Runs exclusively, because each unnamed statement replaces the one before. */
function runStatement(pglite: PGlite, { text }: Statement, values: readonly unknown[]): Promise<ProtocolResponse> {
  return pglite.runExclusive(async () => {
    const { parameterTypes, columns } = parseDescription(await sendMessage(pglite, encodePrepare('', text)))
    const texts = parameterTypes.map((type, i) => serializeParameter(pglite, type, toParameter(values[i])))
    return { ...parseResponse(await sendMessage(pglite, encodeExecute('', texts))), columns }
  })
}

function runScript(pglite: PGlite, sql: string): Promise<Row[]> {
  return pglite.runExclusive(async () => {
    const { columns, rows } = parseResponse(await sendMessage(pglite, encodeSimpleQuery(sql)))
    return rows.map((fields) => parseRow(pglite, columns, fields))
  })
}

async function sendMessage(pglite: PGlite, message: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(await pglite.execProtocolRaw(message, { syncToFs: false }))
  throwFirstError(bytes)
  return bytes
}

/** PGlite serializes arrays, but no typed arrays. */
function toParameter(value: unknown): unknown {
  return value instanceof Int32Array ? Array.from(value) : value
}
