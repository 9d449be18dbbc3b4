/**
 * The embedded database of the simulation, many times as fast as the sandbox's: each statement is parsed and planned once, as on the
 * connections of production, and goes to the database in one piece, in which it is done before anything else happens. What the code above
 * sees is the same.
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
} from '../../../server/core/database/db.ts'
import {
  parseRow,
  parseRowCount,
  type StatementDescription,
  serializeParameter,
} from '../../../server/core/database/pglite/pglite-protocol.ts'
import { createIdleReadCache, type IdleReadCache } from '../network/idle-read-cache.ts'
import { type ClockName, withClock } from '../network/wall-clocks.ts'
import { openPgliteConnection, type PgliteConnection } from './pglite-connection.ts'
import { snapshotMemory } from './pglite-snapshot.ts'

const INT8 = 20
/** Its memory is put back before each run. */
const SMALL = ['shared_buffers = 4MB', 'wal_buffers = 256kB']

interface Result {
  readonly rows: Row[]
  /** Rows written. */
  readonly written: number
}

/** `begin`: said before it. */
type Run = (statement: Statement, values: readonly unknown[], begin?: string) => Result

/** `memory://` only, on a clock of its own. Settings of `Db.transaction` are those of the connection from `warm` on. */
export interface SimulatedPglite extends Db {
  /** After migrations. */
  warm(): Promise<void>
  /** Plans all that it was asked so far, and keeps what it is; then it can be made that again. */
  keep(): Promise<() => Promise<void>>
  /** All that is in it, for another one to begin with. */
  image(): Promise<Blob>
}

/** `image`: what it begins with; absent: nothing. */
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
    sums: snapshot,
    query,
    people: { query },
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
 * It begins with its first statement. An audit has each slice planned by its own values: of the few rows here, that takes ten times as long
 * as reading them, so it is not told to.
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

/** One after another. */
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
  /** Now, and not when each is asked next. */
  planAll(): void
  /** Of all that were asked so far. */
  names(): ReadonlySet<string>
  /** The database does not know the others any more. */
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
      const { text: before, takes, gives } = shape ?? prepare(statement)
      if (before !== text) throw new Error(`two statements have the name ${name}`)
      const bound = takes.map((type, i) => serializeParameter(pglite, type, values[i]))
      const { rows: texts, done } = connection.execute(name, bound, shape && begin)
      const rows = texts.map((fields) => parseRow(pglite, gives, fields))
      idle.store(statement, values, rows)
      return { rows, written: parseRowCount(done) }
    },
    planAll() {
      for (const [name, { takes }] of known)
        connection.simple(
          `explain execute "${name}"${takes.length > 0 ? `(${takes.map(() => 'null').join(', ')})` : ''}`,
        )
    },
    names: () => new Set(known.keys()),
    forgetOthers(names) {
      idle.invalidate()
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
    },
  }
}
