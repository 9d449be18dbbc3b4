/** Faults planted around wallets and platform, each of which a run must find. None is in the product. */
import type { Db, Row, Statement, Tx } from '../../db/db.ts'
import { isOutage } from '../../db/errors.ts'
import type { Stores } from '../market/market.ts'
import { plantedAs } from '../market/planted/planted.ts'
import type { Plant, Planted } from './scene.ts'

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

/** A fault of the platform, as it is planted in markets. */
const inPlatform = (fault: string): Plant => ({
  platform: (db) => plantedAs(fault).plant({ platform: { db } } as unknown as Stores).platform.db,
})
export interface PlantedRow extends Planted {
  /** The decision that it breaks. */
  readonly breaks: string
  /** Whose run finds it. */
  readonly seed: number
}

type Fault = readonly [fault: string, breaks: string, seed: number, plant: Plant]

const FAULTS: readonly Fault[] = [
  [
    'the rules judge without a lock on the player',
    'M-1',
    1,
    { wallet: reworded('lock_ruled_players', ' for update', '') },
  ],
  [
    'money is moved by hand without a lock on the player',
    'O-2',
    3,
    { wallet: reworded('lock_players', ' for update', '') },
  ],
  ['the gate waits for players that are locked', 'W-20', 1, { wallet: reworded('gate_lock', ' skip locked', '') }],
  [
    'one wallet locks players in another order',
    'W-20',
    5,
    { wallet: (db, number) => (number === 1 ? oneByOne(db) : db) },
  ],
  ['a wallet takes a COMMIT without an answer for done', 'W-22', 6, { wallet: believing }],
  ['a call is answered before its COMMIT', 'W-22', 6, { wallet: hasty }],
  ['a wallet remembers balances', 'M-1', 5, { wallet: remembering('read_accounts') }],
  [
    'late copies of results are not known',
    'I-2',
    5,
    { wallet: reworded('read_seen_calls', '\n   ) c', '\n   ) c where false') },
  ],
  ['the platform takes a COMMIT without an answer for done', 'C-1', 5, { platform: believing }],
  ['a claim is taken that somebody holds', 'C-6', 4, inPlatform('a claim is taken that somebody holds')],
  ['claims whose COMMIT was lost are left', 'C-12', 5, inPlatform('what a process that died was calling is left')],
  ['reconcile does not see bets that the wallet has lost', 'what the guide says', 1, { blindTo: 'missing_at_wallet' }],
]

export const PLANTED: readonly PlantedRow[] = FAULTS.map(([fault, breaks, seed, plant]) => ({
  ...{ fault, breaks, seed },
  ...plant,
}))

export function faultCalled(fault: string): PlantedRow {
  const found = PLANTED.find((one) => one.fault === fault)
  if (found === undefined) throw new Error(`${fault}: not planted any more`)
  return found
}
