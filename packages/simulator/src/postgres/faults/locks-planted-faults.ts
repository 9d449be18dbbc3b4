/**
 * Faults that are planted between the parties and their databases. The runs with real locks must
 * find each. The product has none of these faults.
 */

import { isOutage } from 'purser/core/database/database-errors'
import type { Db, Row, Statement, Tx } from 'purser/core/database/db'
import type { Stores } from '../../market/market.ts'
import { findPlantedFault } from '../../market/planted/planted-faults.ts'
import type { LocksFault, NamedLocksFault } from '../locks-harness.ts'

type Transaction = Db['transaction']
type Query = Tx['query']

function wrapTransactions(db: Db, change: (transaction: Transaction) => Transaction): Db {
  return {
    ...db,
    transaction: change(db.transaction),
    openLane: () => ({ transaction: change(db.openLane().transaction) }),
  }
}

const rewordStatement = (name: string, from: string, to: string) => (db: Db) => {
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
  return wrapTransactions(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** A process reads each result only once. */
const rememberReads = (name: string) => (db: Db) => {
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
  return wrapTransactions(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** One statement for each player, in reverse order. */
const lockOneByOne = (db: Db) => {
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
  return wrapTransactions(db, (transaction) => (work) => transaction((tx) => work(txOf(tx))))
}

/** The transaction succeeds even if its COMMIT has no answer. */
const trustLostCommits = (db: Db) =>
  wrapTransactions(db, (transaction) => async (work) => {
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

/** The transaction succeeds before its COMMIT. */
const answerBeforeCommit = (db: Db) =>
  wrapTransactions(
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

/** A fault of the platform from the markets. */
const plantInPlatform = (fault: string): LocksFault => ({
  platform: (db) => findPlantedFault(fault).plant({ platform: { db } } as unknown as Stores).platform.db,
})
export interface LocksFaultRow extends NamedLocksFault {
  readonly breaks: string
  readonly seed: number
}

type LocksFaultEntry = readonly [fault: string, breaks: string, seed: number, plant: LocksFault]

const FAULTS: readonly LocksFaultEntry[] = [
  [
    'the rules path does not lock the player',
    'M-1',
    1,
    { wallet: rewordStatement('lock_ruled_players', ' for update', '') },
  ],
  [
    'money is moved by hand without a lock on the player',
    'O-2',
    3,
    { wallet: rewordStatement('lock_players', ' for update', '') },
  ],
  [
    'the fast path waits for locked players',
    'W-20',
    1,
    { wallet: rewordStatement('fast_path_lock', ' skip locked', '') },
  ],
  [
    'one wallet locks players in another order',
    'W-20',
    5,
    { wallet: (db, number) => (number === 1 ? lockOneByOne(db) : db) },
  ],
  ['a wallet counts an unanswered COMMIT as done', 'W-22', 6, { wallet: trustLostCommits }],
  ['a call is answered before its COMMIT', 'W-22', 6, { wallet: answerBeforeCommit }],
  ['a wallet remembers balances', 'M-1', 5, { wallet: rememberReads('read_accounts') }],
  [
    'late copies of results are not recognised',
    'I-2',
    5,
    { wallet: rewordStatement('read_seen_calls', '\n   ) c', '\n   ) c where false') },
  ],
  ['the platform counts an unanswered COMMIT as done', 'C-1', 5, { platform: trustLostCommits }],
  ['a claim of a living process is taken over', 'C-6', 4, plantInPlatform('a claim of a living process is taken over')],
  ['claims whose COMMIT was lost stay', 'C-12', 5, plantInPlatform('the calls of a dead process are not taken over')],
  [
    'reconcile does not report bets that the wallet has lost',
    'what the guide says',
    1,
    { blindTo: 'missing_at_wallet' },
  ],
]

export const LOCKS_FAULTS: readonly LocksFaultRow[] = FAULTS.map(([fault, breaks, seed, plant]) => ({
  ...{ fault, breaks, seed },
  ...plant,
}))

export function findLocksFault(fault: string): LocksFaultRow {
  const found = LOCKS_FAULTS.find((one) => one.fault === fault)
  if (found === undefined) throw new Error(`${fault}: not planted any more`)
  return found
}
