/** Faults between a party and its database that are a matter of words: a statement says something else, or its rows do. */
import type { Db, Row, Statement, Tx } from '../../db/db.ts'

export type Plant = (db: Db) => Db

/** Several faults that are one. */
export const together =
  (...plants: readonly Plant[]): Plant =>
  (db) =>
    plants.reduce((planted, plant) => plant(planted), db)

let faults = 0

/** Wherever the statement says `from` it says `to`. Throws when it does not say it any more: the fault is to be written anew. */
export const saying = (name: string, ...words: readonly (readonly [from: string, to: string])[]): Plant => {
  const number = ++faults // a name is one text's, for as long as the database is open
  let said: Statement | undefined
  return changing((statement) => {
    if (statement.name !== name) return statement
    said ??= { name: `${name}_with_fault_${number}`, text: reworded(statement, words) }
    return said
  })
}

function reworded({ name, text }: Statement, words: readonly (readonly [from: string, to: string])[]): string {
  let now = text
  for (const [from, to] of words) {
    if (!now.includes(from)) throw new Error(`${name} does not say any more: ${from}`)
    now = now.replaceAll(from, to)
  }
  return now
}

/** Rows that a statement reads are others; undefined: one is not there. */
export const altered = (name: string, change: (row: Row) => Row | undefined): Plant =>
  reading((statement, rows) => (statement.name === name ? rows.map(change).filter(isThere) : rows))

const isThere = (row: Row | undefined): row is Row => row !== undefined

/** What a statement has read once of a row with this key is what it reads for ever. */
export const remembering = (name: string, key: string): Plant => {
  const known = new Map<unknown, Row>()
  return altered(name, (row) => {
    const kept = known.get(row[key]) ?? row
    known.set(row[key], kept)
    return kept
  })
}

/** What a statement has read once is not there any more when it is read again: what a process knows it does not read again. */
export const forgetting = (name: string): Plant => {
  const read = new Set<string>()
  return altered(name, (row) => {
    const key = JSON.stringify(row)
    if (read.has(key)) return undefined
    read.add(key)
    return row
  })
}

function changing(change: (statement: Statement) => Statement): Plant {
  return around((query) => (statement, values) => query(change(statement), values), change)
}

function reading(read: (statement: Statement, rows: Row[]) => Row[]): Plant {
  return around(
    (query) => async (statement, values) => read(statement, await query(statement, values)),
    (statement) => statement,
  )
}

type Query = (statement: Statement, values?: readonly unknown[]) => Promise<Row[]>

function around(wrap: (query: Query) => Query, written: (statement: Statement) => Statement): Plant {
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
      unhurried: (work) => db.unhurried((tx) => work(txOf(tx))),
    }
  }
}
