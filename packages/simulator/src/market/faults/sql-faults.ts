/** Faults that change the text of an SQL statement, or the rows of its result. */
import type { Db, Row, Statement, Tx } from 'purser/core/database/db'

export type DbFault = (db: Db) => Db

export const combineFaults =
  (...plants: readonly DbFault[]): DbFault =>
  (db) =>
    plants.reduce((planted, plant) => plant(planted), db)

let faults = 0

/** Replaces each `from` by `to`. Throws if the statement does not contain `from` any more. */
export const rewordStatement = (name: string, ...words: readonly (readonly [from: string, to: string])[]): DbFault => {
  const number = ++faults // a name belongs to one text as long as the database is open
  let replaced: Statement | undefined
  return changeStatements((statement) => {
    if (statement.name !== name) return statement
    replaced ??= { name: `${name}_with_fault_${number}`, text: replaceWords(statement, words) }
    return replaced
  })
}

function replaceWords({ name, text }: Statement, words: readonly (readonly [from: string, to: string])[]): string {
  let now = text
  for (const [from, to] of words) {
    if (!now.includes(from)) throw new Error(`${name} does not say any more: ${from}`)
    now = now.replaceAll(from, to)
  }
  return now
}

/** Undefined removes a row. */
export const alterRows = (name: string, change: (row: Row) => Row | undefined): DbFault =>
  changeRows((statement, rows) => (statement.name === name ? rows.map(change).filter(isThere) : rows))

const isThere = (row: Row | undefined): row is Row => row !== undefined

/** The first version of a row with this key stays for ever. */
export const rememberRows = (name: string, key: string): DbFault => {
  const known = new Map<unknown, Row>()
  return alterRows(name, (row) => {
    const first = known.get(row[key]) ?? row
    known.set(row[key], first)
    return first
  })
}

/**
 * A row is missing from its second read on. A running process caches the row, so the fault appears
 * after a restart.
 */
export const forgetRows = (name: string): DbFault => {
  const read = new Set<string>()
  return alterRows(name, (row) => {
    const key = JSON.stringify(row)
    if (read.has(key)) return undefined
    read.add(key)
    return row
  })
}

function changeStatements(change: (statement: Statement) => Statement): DbFault {
  return wrapQueries((query) => (statement, values) => query(change(statement), values), change)
}

function changeRows(read: (statement: Statement, rows: Row[]) => Row[]): DbFault {
  return wrapQueries(
    (query) => async (statement, values) => read(statement, await query(statement, values)),
    (statement) => statement,
  )
}

type Query = (statement: Statement, values?: readonly unknown[]) => Promise<Row[]>

function wrapQueries(wrap: (query: Query) => Query, written: (statement: Statement) => Statement): DbFault {
  return (db) => {
    const query = wrap(db.query) as Db['query']
    const txOf = (tx: Tx): Tx => ({
      query: wrap(tx.query) as Tx['query'],
      execute: (statement, values) => tx.execute(written(statement), values),
      finish: (send) => tx.finish(send),
    })
    return {
      ...{ ...db, query, userQueries: { query } },
      transaction: (work) => db.transaction((tx) => work(txOf(tx))),
      longTransaction: (work) => db.longTransaction((tx) => work(txOf(tx))),
    }
  }
}
