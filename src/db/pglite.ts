/**
 * The Db on PGlite: Postgres compiled to WASM, in this process, on a folder. One connection, so transactions run one
 * after another. It survives `kill -9`; it runs with fsync off, so it does not survive a power loss.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import { makePrivateFolder, requireAccess } from '../runtime/private-folder.ts'
import { Unreachable } from '../runtime/wrong-use.ts'
import { type Db, embeddedSettings, type Row, SNAPSHOT, type Statement, type Tx } from './db.ts'
import { lockFolder } from './folder-lock.ts'
import {
  type Said,
  saidIn,
  shapeIn,
  throwError,
  toExecute,
  toPrepare,
  toRow,
  toSimple,
  toText,
  writtenBy,
} from './pglite-wire.ts'
import { readable, SESSION_SQL } from './session.ts'

const INT8 = 20
/** Lists are read with the parsers of what is in them. */
const PARSERS = {
  [INT8]: BigInt,
  ...Object.fromEntries(
    [types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ].map((type) => [type, readable((text) => new Date(text))]),
  ),
}

/** Of the Postgres that this PGlite is. */
const POSTGRES_VERSION = '18'
/** The folder of the database's own files. */
const FILES = 'pglite'

/** True if the folder holds a database; `memory://` never does before it is opened. */
export function hasPglite(dataDir: string): boolean {
  return !dataDir.startsWith('memory://') && existsSync(join(dataDir, FILES, 'PG_VERSION'))
}

/** Opens the folder (or `memory://`), which only one process at a time may have; throws if another has it. */
export async function openPglite(dataDir: string): Promise<Db> {
  const isMemory = dataDir.startsWith('memory://')
  const unlock = isMemory ? async () => {} : await claim(dataDir)
  const target = isMemory ? dataDir : join(dataDir, FILES)
  const isNew = !isMemory && !existsSync(target)
  const pglite = await PGlite.create(target, { parsers: PARSERS }).catch(async (error: unknown) => {
    if (isNew) rmSync(target, { recursive: true, force: true }) // half a database would be taken for a damaged one
    await unlock()
    if (!isNew) requireAccess(target, 'all')
    throw new Unreachable(whyClosed(dataDir, error), { cause: error })
  })
  await pglite.exec(SESSION_SQL)
  const tx = txOn(pglite)
  const begun =
    (settings: string): Db['transaction'] =>
    (work) =>
      pglite.transaction(async ({ exec }) => {
        await exec(settings)
        return work(tx)
      })
  const transaction = begun(embeddedSettings('local'))
  const snapshot = begun(`set transaction ${SNAPSHOT}`)
  const query: Db['query'] = (statement, values) => pglite.transaction(() => tx.query(statement, values))
  return {
    kind: 'pglite',
    transaction,
    unhurried: begun('set transaction read write'),
    openLane: () => ({ transaction }),
    snapshot,
    sums: snapshot,
    query,
    people: { query },
    pools: () => [],
    script: (work) => pglite.transaction(() => work((sql) => runScript(pglite, sql))),
    close: async () => {
      await pglite.close()
      await unlock()
    },
  }
}

/** PGlite throws what its WebAssembly threw, which need not be an error. */
function whyClosed(dataDir: string, error: unknown): string {
  const version = hasPglite(dataDir)
    ? readFileSync(join(dataDir, FILES, 'PG_VERSION'), 'utf8').trim()
    : POSTGRES_VERSION
  if (isFull(error))
    return `the embedded database in ${dataDir} cannot be opened: its disk is full. Make room, or set PURSER_DATA_DIR to a folder on another disk`
  const why =
    version === POSTGRES_VERSION
      ? `its files are damaged or not complete (${error instanceof Error ? error.message : 'no reason was given'})`
      : `it was made with Postgres ${version}, this program has Postgres ${POSTGRES_VERSION}`
  return `the embedded database in ${dataDir} cannot be opened: ${why}. Keep a copy of the folder, then put a backup in its place or set PURSER_DATA_DIR to a new one`
}

/** ENOSPC, as WASI numbers it. */
const NO_SPACE = 51

function isFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errno' in error && error.errno === NO_SPACE
}

async function claim(dataDir: string): Promise<() => Promise<void>> {
  makePrivateFolder(dataDir)
  requireAccess(dataDir, 'itself')
  return lockFolder(dataDir)
}

/** Only for use in `PGlite.transaction`, which keeps every other statement out. */
function txOn(pglite: PGlite): Tx {
  return {
    query: async (statement, values = []) => {
      const { gives, rows } = await run(pglite, statement, values)
      return rows.map((fields) => toRow(pglite, gives, fields)) as never
    },
    execute: async (statement, values) => writtenBy((await run(pglite, statement, values)).done),
    finish: (send) => send(),
  }
}

/** One statement at a time: a statement without a name is replaced by the next one. */
function run(pglite: PGlite, { text }: Statement, values: readonly unknown[]): Promise<Said> {
  return pglite.runExclusive(async () => {
    const { takes, gives } = shapeIn(await send(pglite, toPrepare('', text)))
    const texts = takes.map((type, i) => toText(pglite, type, toParameter(values[i])))
    return { ...saidIn(await send(pglite, toExecute('', texts))), gives }
  })
}

function runScript(pglite: PGlite, sql: string): Promise<Row[]> {
  return pglite.runExclusive(async () => {
    const { gives, rows } = saidIn(await send(pglite, toSimple(sql)))
    return rows.map((fields) => toRow(pglite, gives, fields))
  })
}

async function send(pglite: PGlite, message: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(await pglite.execProtocolRaw(message, { syncToFs: false }))
  throwError(bytes)
  return bytes
}

/** It knows arrays, but not those of numbers alone. */
function toParameter(value: unknown): unknown {
  return value instanceof Int32Array ? Array.from(value) : value
}
