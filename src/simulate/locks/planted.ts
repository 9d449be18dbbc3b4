/** Faults planted between the wallets and their database, each of which a run must find; `seed`: the first, from 1 on, that does. */
import type { Db, Row, Statement, Tx } from '../../db/db.ts'
import { isOutage } from '../../db/errors.ts'
import type { Plant } from './scene.ts'

type Transaction = Db['transaction']
type Query = Tx['query']

/** Every transaction is another one, that of lanes too. */
function inside(db: Db, change: (transaction: Transaction) => Transaction): Db {
  return {
    ...db,
    transaction: change(db.transaction),
    openLane: () => ({ transaction: change(db.openLane().transaction) }),
  }
}

/** A statement has another text. */
const reworded = (name: string, from: string, to: string) => (db: Db) => {
  const other = (statement: Statement) => {
    if (statement.name !== name) return statement
    if (!statement.text.includes(from)) throw new Error(`${name} has no "${from}" any more`)
    return { ...statement, text: statement.text.replaceAll(from, to) }
  }
  const txOf = (tx: Tx): Tx => ({
    query: ((statement, values) => tx.query(other(statement), values)) as Query,
    execute: (statement, values) => tx.execute(other(statement), values),
    finish: (send) => tx.finish(send),
  })
  return inside(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** What a statement read once is not read again by the same process. */
const remembering = (name: string) => (db: Db) => {
  const known = new Map<string, Row[]>()
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) => {
      if (statement.name !== name) return tx.query(statement, values)
      const key = JSON.stringify(values)
      const rows = known.get(key) ?? (await tx.query(statement, values))
      known.set(key, rows)
      return rows
    }) as Query,
  })
  return inside(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** One statement for each player, the last one first. */
const oneByOne = (db: Db) => {
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values: readonly unknown[]) => {
      if (statement.name !== 'lock_ruled_players') return tx.query(statement, values)
      const rows: Row[] = []
      const [bucket, players] = values as [number, readonly string[]]
      for (const player of [...players].reverse()) rows.push(...(await tx.query(statement, [bucket, [player]])))
      return rows
    }) as Query,
  })
  return inside(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** All but COMMIT was answered: that will do. */
const believing = (db: Db) =>
  inside(db, (transaction) => async (work) => {
    const done: Awaited<ReturnType<typeof work>>[] = []
    try {
      return await transaction(async (tx) => {
        const value = await work(tx)
        done.push(value)
        return value
      })
    } catch (error) {
      const [value] = done
      if (value === undefined || !isOutage(error)) throw error
      return value
    }
  })

/** COMMIT is not waited for. */
const hasty = (db: Db) =>
  inside(
    db,
    (transaction) => (work) =>
      new Promise((resolve, reject) => {
        const whole = transaction(async (tx) => {
          const value = await work(tx)
          resolve(value)
          return value
        })
        whole.catch(reject)
      }),
  )

export interface Planted {
  readonly fault: string
  readonly seed: number
  readonly plant: Plant
}

type Fault = readonly [fault: string, seed: number, plant: Plant]

const FAULTS: readonly Fault[] = [
  ['the rules judge without a lock on the player', 2, reworded('lock_ruled_players', ' for update', '')],
  ['money is moved by hand without a lock on the player', 4, reworded('lock_players', ' for update', '')],
  ['one wallet locks players in another order', 5, (db, wallet) => (wallet === 0 ? oneByOne(db) : db)],
  ['a COMMIT without an answer is taken for done', 2, believing],
  ['a call is answered before its COMMIT', 10, hasty],
  ['a wallet remembers balances', 1, remembering('read_accounts')],
  ['late copies of results are not known', 1, reworded('read_seen_calls', '\n   ) c', '\n   ) c where false')],
]

export const PLANTED: readonly Planted[] = FAULTS.map(([fault, seed, plant]) => ({ fault, seed, plant }))
