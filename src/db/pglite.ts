/**
 * The Db on PGlite: Postgres compiled to WASM, in this process, on a folder. One connection, so transactions run one
 * after another. It survives `kill -9`; it runs with fsync off, so it does not survive a power loss.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { makePrivateFolder } from '../runtime/private-folder.ts'
import { Unreachable } from '../runtime/wrong-use.ts'
import { type Db, embeddedSettings, type Row, SNAPSHOT, type Statement, type Tx } from './db.ts'
import { lockFolder } from './folder-lock.ts'

const INT8 = 20

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
  const pglite = await PGlite.create(target, { parsers: { [INT8]: BigInt } }).catch(async (error: unknown) => {
    if (isNew) rmSync(target, { recursive: true, force: true }) // half a database would be taken for a damaged one
    await unlock()
    throw new Unreachable(whyClosed(dataDir, error), { cause: error })
  })
  const transaction: Db['transaction'] = (work) =>
    pglite.transaction((tx) => inTransaction(tx, embeddedSettings('local'), work))
  const query: Db['query'] = (statement, values) => run(pglite, statement, values) as Promise<never>
  const snapshot: Db['snapshot'] = (work) =>
    pglite.transaction((tx) => inTransaction(tx, `set transaction ${SNAPSHOT}`, work))
  return {
    kind: 'pglite',
    transaction,
    unhurried: (work) => pglite.transaction((tx) => inTransaction(tx, 'set transaction read write', work)),
    openLane: () => ({ transaction }),
    snapshot,
    sums: snapshot,
    query,
    people: { query },
    pools: () => [],
    script: (work) => pglite.transaction((tx) => work(async (sql) => lastRows(await tx.exec(sql)))),
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
  return lockFolder(dataDir)
}

async function inTransaction<T>(tx: Transaction, settings: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  await tx.exec(settings)
  const execute: Tx['execute'] = async ({ text }, values) =>
    (await tx.query(text, values.map(toParameter))).affectedRows ?? 0
  return work({
    query: (statement, values) => run(tx, statement, values) as Promise<never>,
    execute,
    finish: (send) => send(),
  })
}

async function run(
  target: PGlite | Transaction,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await target.query<Row>(statement.text, values.map(toParameter))
  return result.rows
}

function lastRows(results: readonly { rows: object[] }[]): Row[] {
  return (results.at(-1)?.rows ?? []) as Row[]
}

/** It knows arrays, but not those of numbers alone. */
function toParameter(value: unknown): unknown {
  return value instanceof Int32Array ? Array.from(value) : value
}
