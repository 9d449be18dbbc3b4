/**
 * The embedded database of the simulation. It is many times as fast as the sandbox's.
 *
 * An SQL statement is planned once, as on a production connection, and executed as one synchronous
 * message. The code that uses the database sees no difference.
 */
import { PGlite } from '@electric-sql/pglite'
import {
  AUDIT_CHUNK_SETTINGS,
  type Db,
  embeddedSettingsSql,
  type Row,
  SNAPSHOT_ISOLATION,
  type Statement,
  type Tx,
} from 'purser/core/database/db'
import {
  parseRow,
  parseRowCount,
  type StatementDescription,
  serializeParameter,
} from 'purser/core/database/pglite/pglite-protocol'
import { createIdleReadCache, type IdleReadCache } from '../network/idle-read-cache.ts'
import { type ClockName, withClock } from '../network/wall-clocks.ts'
import { openPgliteConnection, type PgliteConnection } from './pglite-connection.ts'
import { snapshotMemory } from './pglite-snapshot.ts'

const INT8 = 20
/** Each run restores the whole memory, so it must be small. */
const SMALL = ['shared_buffers = 4MB', 'wal_buffers = 256kB']

interface Result {
  readonly rows: Row[]
  readonly written: number
}

/** `begin`: the command that opens the transaction. */
type Run = (statement: Statement, values: readonly unknown[], begin?: string) => Result

/** Only for `memory://`. `warm` sets the settings of `Db.transaction` once for the connection. */
export interface SimulatedPglite extends Db {
  /** Called after the migrations. */
  warm(): Promise<void>
  /** Plans all known statements. Resolves to a function that restores the present state. */
  keep(): Promise<() => Promise<void>>
  /** The data with which another database can start. */
  image(): Promise<Blob>
}

export async function openSimulatedPglite(clock: ClockName, image?: Blob): Promise<SimulatedPglite> {
  const parsers = { [INT8]: BigInt }
  const pglite = await PGlite.create({ ...(image && { loadDataDir: image }), parsers, postgresqlconf: SMALL })
  const atOnce = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = (message) => withClock(clock, () => atOnce(message))
  const exclusive = createQueue()
  const connection = openPgliteConnection(pglite)
  const idle = createIdleReadCache()
  const { run, planAll, names, forgetOthers } = createRunner(pglite, connection, idle)
  const undo = () => {
    idle.invalidate()
    connection.simple('rollback')
  }
  const transaction = <T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    exclusive(async () => {
      const tx = beginTx(run, idle, begin)
      try {
        const value = await work(tx)
        if (tx.hasBegun()) connection.simple('commit')
        return value
      } catch (error) {
        if (tx.hasBegun()) undo()
        throw error
      }
    })
  const hot: Db['transaction'] = (work) => transaction('begin', work)
  const snapshot: Db['snapshot'] = (work) => transaction(`begin ${SNAPSHOT_ISOLATION}`, work)
  const query = ((statement: Statement, values: readonly unknown[] = []) =>
    exclusive(async () => idle.lookUp(statement, values) ?? run(statement, values).rows)) as Db['query']
  return {
    kind: 'pglite',
    transaction: hot,
    longTransaction: hot,
    openLane: () => ({ transaction: hot }),
    snapshot,
    reportSnapshot: snapshot,
    query,
    userQueries: { query },
    pools: () => [],
    script: (work) => exclusive(() => pglite.transaction((tx) => work(async (sql) => lastRows(await tx.exec(sql))))),
    close: () => pglite.close(),
    warm: () => exclusive(async () => connection.simple(embeddedSettingsSql('session'))),
    image: () => exclusive(() => pglite.dumpDataDir('none')),
    keep: () =>
      exclusive(async () => {
        planAll()
        const [putBack, planned] = [snapshotMemory(pglite), names()]
        return () =>
          exclusive(async () => {
            putBack()
            forgetOthers(planned)
          })
      }),
  }
}

function lastRows(results: readonly { rows: object[] }[]): Row[] {
  return (results.at(-1)?.rows ?? []) as Row[]
}

/**
 * Begins the transaction with its first statement.
 *
 * The settings of an audit are skipped. They plan each chunk by its own values; for the few rows
 * here that takes ten times as long as reading them.
 */
function beginTx(run: Run, idle: IdleReadCache, begin: string): Tx & { hasBegun(): boolean } {
  let hasBegun = false
  const inside = (statement: Statement, values: readonly unknown[] = []): Result => {
    const first = hasBegun ? undefined : begin
    const cached = statement.name === AUDIT_CHUNK_SETTINGS.name ? [] : idle.lookUp(statement, values)
    if (cached !== undefined) return { rows: cached, written: 0 }
    hasBegun = true
    return run(statement, values, first)
  }
  return {
    query: (async (statement: Statement, values?: readonly unknown[]) => inside(statement, values).rows) as Tx['query'],
    execute: async (statement, values) => inside(statement, values).written,
    finish: (send) => send(),
    hasBegun: () => hasBegun,
  }
}

type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one task at a time, in order. */
function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}

interface Runner {
  readonly run: Run
  /** Without this call a statement is planned at its next use. */
  planAll(): void
  /** The statements known so far. */
  names(): ReadonlySet<string>
  /** The restored database has planned only these statements. */
  forgetOthers(names: ReadonlySet<string>): void
}

function createRunner(pglite: PGlite, connection: PgliteConnection, idle: IdleReadCache): Runner {
  const known = new Map<string, StatementDescription & { readonly text: string }>()
  const prepare = ({ name, text }: Statement) => {
    const shape = { text, ...connection.prepare(name, text) }
    known.set(name, shape)
    return shape
  }
  return {
    run(statement, values, begin) {
      const { name, text } = statement
      const shape = known.get(name)
      if (shape === undefined && begin !== undefined) connection.simple(begin)
      const { text: before, parameterTypes, columns } = shape ?? prepare(statement)
      if (before !== text) throw new Error(`two statements have the name ${name}`)
      const bound = parameterTypes.map((type, i) => serializeParameter(pglite, type, values[i]))
      const { rows: texts, commandTag } = connection.execute(name, bound, shape && begin)
      const rows = texts.map((fields) => parseRow(pglite, columns, fields))
      idle.store(statement, values, rows)
      return { rows, written: parseRowCount(commandTag) }
    },
    planAll() {
      for (const [name, { parameterTypes }] of known)
        connection.simple(
          `explain execute "${name}"${parameterTypes.length > 0 ? `(${parameterTypes.map(() => 'null').join(', ')})` : ''}`,
        )
    },
    names: () => new Set(known.keys()),
    forgetOthers(names) {
      idle.invalidate()
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
    },
  }
}
