/**
 * The embedded database of the simulation, several times as fast as the sandbox's: each statement is parsed and planned once, as on the
 * connections of production, and goes to the database in one piece. What the code above sees is the same.
 */
import { PGlite, protocol } from '@electric-sql/pglite'
import { type Db, embeddedSettings, type Row, SNAPSHOT, type Statement, type Tx } from '../../db/db.ts'
import { type ClockName, showing } from './clocks.ts'

const { serialize } = protocol
const INT8 = 20

/** What one statement takes and gives. */
interface Shape {
  readonly text: string
  readonly takes: readonly number[]
  readonly gives: readonly { readonly name: string; readonly dataTypeID: number }[]
}

interface Result {
  readonly rows: Row[]
  /** Rows written. */
  readonly written: number
}

type Run = (statement: Statement, values?: readonly unknown[]) => Promise<Result>

/** `memory://` only, on a clock of its own. Settings of `Db.transaction` are those of the connection from `warm` on. */
export interface SwiftDb extends Db {
  /** After migrations. */
  warm(): Promise<void>
}

export async function openSwiftDb(clock: ClockName): Promise<SwiftDb> {
  const pglite = await PGlite.create('memory://', { parsers: { [INT8]: BigInt } })
  const atOnce = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = (message) => showing(clock, () => atOnce(message))
  const [inTurn, alone] = [createQueue(), createQueue()]
  const run = runner(pglite, inTurn)
  /** Behind the statements that were sent before: a ROLLBACK that overtakes one would leave it outside. */
  const say = (sql: string) => inTurn(() => pglite.exec(sql).then(() => {}))
  const transaction = <T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    alone(async () => {
      await say(begin)
      try {
        const value = await work(txOf(run))
        await say('commit')
        return value
      } catch (error) {
        await say('rollback')
        throw error
      }
    })
  const hot: Db['transaction'] = (work) => transaction('begin', work)
  const snapshot: Db['snapshot'] = (work) => transaction(`begin ${SNAPSHOT}`, work)
  const query = ((statement: Statement, values?: readonly unknown[]) =>
    alone(async () => (await run(statement, values)).rows)) as Db['query']
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
    warm: () => alone(() => say(embeddedSettings('session'))),
  }
}

function lastRows(results: readonly { rows: object[] }[]): Row[] {
  return (results.at(-1)?.rows ?? []) as Row[]
}

function txOf(run: Run): Tx {
  return {
    query: (async (statement: Statement, values?: readonly unknown[]) =>
      (await run(statement, values)).rows) as Tx['query'],
    execute: async (statement, values) => (await run(statement, values)).written,
    finish: (send) => send(),
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

function runner(pglite: PGlite, inTurn: Queue): Run {
  const known = new Map<string, Shape>()
  const send = async (...parts: Uint8Array[]) =>
    (await pglite.execProtocol(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false })).messages
  const prepare = async ({ name, text }: Statement): Promise<Shape> => {
    const said = await send(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const shape: { text: string; takes: number[]; gives: Shape['gives'] } = { text, takes: [], gives: [] }
    for (const message of said) {
      if ('dataTypeIDs' in message) shape.takes = message.dataTypeIDs as number[]
      else if (message.name === 'rowDescription' && 'fields' in message) shape.gives = message.fields as Shape['gives']
    }
    known.set(name, shape)
    return shape
  }
  return (statement, values = []) =>
    inTurn(async () => {
      const { name, text } = statement
      const shape = known.get(name) ?? (await prepare(statement))
      if (shape.text !== text) throw new Error(`two statements have the name ${name}`)
      const { takes, gives } = shape
      const bound = takes.map((type, i) => toText(pglite, type, values[i]))
      const said = await send(serialize.bind({ statement: name, values: bound }), serialize.execute({}))
      const rows: Row[] = []
      let written = 0
      for (const message of said) {
        if (message.name === 'dataRow' && 'fields' in message)
          rows.push(toRow(pglite, gives, message.fields as (string | null)[]))
        else if (message.name === 'commandComplete' && 'text' in message) written = writtenBy(`${message.text}`)
      }
      return { rows, written }
    })
}

function toText(pglite: PGlite, type: number, value: unknown): string | null {
  if (value === null || value === undefined) return null
  const serializer = pglite.serializers[type]
  return serializer === undefined ? `${value}` : serializer(value)
}

function toRow(pglite: PGlite, gives: Shape['gives'], fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (const [i, { name, dataTypeID }] of gives.entries()) {
    const [text, parser] = [fields[i] ?? null, pglite.parsers[dataTypeID]]
    row[name] = text === null || parser === undefined ? text : parser(text, dataTypeID)
  }
  return row
}

/** "INSERT 0 3", "UPDATE 2". */
function writtenBy(command: string): number {
  const [verb = '', ...numbers] = command.split(' ')
  return ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(verb) ? Number.parseInt(numbers.at(-1) ?? '0', 10) : 0
}
