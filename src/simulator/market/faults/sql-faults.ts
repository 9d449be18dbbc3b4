/** Faults between a party and its database that are a matter of words: a statement says something else, or its rows do. */
import type { Db, Row, Statement, Tx } from '../../../server/core/database/db.ts'

export type DbFault = (db: Db) => Db

/** Several faults that are one. */
export const combineFaults =
  (...plants: readonly DbFault[]): DbFault =>
  (db) =>
    plants.reduce((planted, plant) => plant(planted), db)

let faults = 0

/** Wherever the statement says `from` it says `to`. Throws when it does not say it any more: the fault is to be written anew. */
export const rewordStatement = (name: string, ...words: readonly (readonly [from: string, to: string])[]): DbFault => {
  const number = ++faults // a name is one text's, for as long as the database is open
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

/** Rows that a statement reads are others; undefined: one is not there. */
export const alterRows = (name: string, change: (row: Row) => Row | undefined): DbFault =>
  changeRows((statement, rows) => (statement.name === name ? rows.map(change).filter(isThere) : rows))

const isThere = (row: Row | undefined): row is Row => row !== undefined

/** What a statement has read once of a row with this key is what it reads for ever. */
export const rememberRows = (name: string, key: string): DbFault => {
  const known = new Map<unknown, Row>()
  return alterRows(name, (row) => {
    const first = known.get(row[key]) ?? row
    known.set(row[key], first)
    return first
  })
}

/** What a statement has read once is not there any more when it is read again: what a process knows it does not read again. */
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
      ...{ ...db, query, people: { query } },
      transaction: (work) => db.transaction((tx) => work(txOf(tx))),
      longTransaction: (work) => db.longTransaction((tx) => work(txOf(tx))),
    }
  }
}
