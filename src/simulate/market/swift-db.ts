/**
 * The embedded database of the simulation, many times as fast as the sandbox's: each statement is parsed and planned once, as on the
 * connections of production, and goes to the database in one piece, in which it is done before anything else happens. What the code above
 * sees is the same.
 */
import { PGlite } from '@electric-sql/pglite'
import { type Db, embeddedSettings, type Row, SLICE_OF_AUDIT, SNAPSHOT, type Statement, type Tx } from '../../db/db.ts'
import { type ClockName, showing } from './clocks.ts'
import { type Shape, speak, type Wire } from './postgres-wire.ts'

const INT8 = 20

interface Result {
  readonly rows: Row[]
  /** Rows written. */
  readonly written: number
}

/** `begin`: said before it. */
type Run = (statement: Statement, values?: readonly unknown[], begin?: string) => Result

/** `memory://` only, on a clock of its own. Settings of `Db.transaction` are those of the connection from `warm` on. */
export interface SwiftDb extends Db {
  /** After migrations. */
  warm(): Promise<void>
  /** All that is in it, for another one to begin with. */
  image(): Promise<Blob>
}

/** `image`: what it begins with; absent: nothing. */
export async function openSwiftDb(clock: ClockName, image?: Blob): Promise<SwiftDb> {
  const parsers = { [INT8]: BigInt }
  const pglite = await PGlite.create({ ...(image && { loadDataDir: image }), parsers })
  const atOnce = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = (message) => showing(clock, () => atOnce(message))
  const alone = createQueue()
  const wire = speak(pglite)
  const run = runner(pglite, wire)
  const transaction = <T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    alone(async () => {
      const tx = beginTx(run, begin)
      try {
        const value = await work(tx)
        if (tx.hasBegun()) wire.simple('commit')
        return value
      } catch (error) {
        if (tx.hasBegun()) wire.simple('rollback')
        throw error
      }
    })
  const hot: Db['transaction'] = (work) => transaction('begin', work)
  const snapshot: Db['snapshot'] = (work) => transaction(`begin ${SNAPSHOT}`, work)
  const query = ((statement: Statement, values?: readonly unknown[]) =>
    alone(async () => run(statement, values).rows)) as Db['query']
  return {
    kind: 'pglite',
    transaction: hot,
    unhurried: hot,
    openLane: () => ({ transaction: hot }),
    snapshot,
    sums: snapshot,
    query,
    people: { query },
    pools: () => [],
    script: (work) => alone(() => pglite.transaction((tx) => work(async (sql) => lastRows(await tx.exec(sql))))),
    close: () => pglite.close(),
    warm: () => alone(async () => wire.simple(embeddedSettings('session'))),
    image: () => alone(() => pglite.dumpDataDir('none')),
  }
}

function lastRows(results: readonly { rows: object[] }[]): Row[] {
  return (results.at(-1)?.rows ?? []) as Row[]
}

/** It begins with its first statement. */
function beginTx(run: Run, begin: string): Tx & { hasBegun(): boolean } {
  let hasBegun = false
  const inside = (statement: Statement, values?: readonly unknown[]) => {
    const first = hasBegun ? undefined : begin
    const isSent = statement.name !== SLICE_OF_AUDIT.name
    hasBegun ||= isSent
    return isSent ? run(statement, values, first) : NOTHING
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

/** An audit has each slice planned by its own values: of the few rows here, that takes ten times as long as reading them. */
const NOTHING: Result = { rows: [], written: 0 }

function runner(pglite: PGlite, wire: Wire): Run {
  const known = new Map<string, Shape & { readonly text: string }>()
  const prepare = ({ name, text }: Statement) => {
    const shape = { text, ...wire.prepare(name, text) }
    known.set(name, shape)
    return shape
  }
  return (statement, values = [], begin) => {
    const { name, text } = statement
    const shape = known.get(name)
    if (shape === undefined && begin !== undefined) wire.simple(begin)
    const { text: before, takes, gives } = shape ?? prepare(statement)
    if (before !== text) throw new Error(`two statements have the name ${name}`)
    const bound = takes.map((type, i) => toText(pglite, type, values[i]))
    const { rows, done } = wire.execute(name, bound, shape && begin)
    return { rows: rows.map((fields) => toRow(pglite, gives, fields)), written: writtenBy(done) }
  }
}

function toText(pglite: PGlite, type: number, value: unknown): string | null {
  if (value === null || value === undefined) return null
  const serializer = pglite.serializers[type]
  return serializer === undefined ? `${value}` : serializer(value)
}

function toRow(pglite: PGlite, gives: Shape['gives'], fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let i = 0; i < gives.length; i++) {
    const [{ name, type }, text] = [gives[i] as Shape['gives'][number], fields[i] ?? null]
    const parser = text === null ? undefined : pglite.parsers[type]
    row[name] = parser === undefined ? text : parser(text as string, type)
  }
  return row
}

/** "INSERT 0 3", "UPDATE 2". */
function writtenBy(command: string): number {
  const [verb = '', ...numbers] = command.split(' ')
  return ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(verb) ? Number.parseInt(numbers.at(-1) ?? '0', 10) : 0
}
