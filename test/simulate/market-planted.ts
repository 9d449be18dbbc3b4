/** Faults planted below wallet and platform: a statement does nothing or tells nothing, or a commit is lost. None is in the product. */
import type { Db, Row, Statement, Tx } from '../../src/db/db.ts'
import type { PartyName, Stores } from '../../src/simulate/market/market.ts'

export interface Planted {
  readonly fault: string
  /** The decision that it breaks. */
  readonly breaks: string
  readonly party: PartyName
  /** Of a run that finds it. */
  readonly seed: number
  readonly plant: (db: Db) => Db
}

/** The statement is not sent, and answers that there is nothing. */
const without = (name: string) => (db: Db) => {
  const isIt = (statement: Statement) => statement.name === name
  const query = (async (statement: Statement, values?: readonly unknown[]) =>
    isIt(statement) ? [] : db.query(statement, values)) as Db['query']
  const txOf = (tx: Tx): Tx => ({
    query: (async (statement: Statement, values?: readonly unknown[]) =>
      isIt(statement) ? [] : tx.query(statement, values)) as Tx['query'],
    execute: async (statement, values) => (isIt(statement) ? 0 : tx.execute(statement, values)),
    finish: (send) => tx.finish(send),
  })
  return {
    ...db,
    query,
    people: { query },
    transaction: (work) => db.transaction((tx) => work(txOf(tx))),
  } satisfies Db
}

class Lost extends Error {}

/** Some rows of what a statement reads are not seen. */
const blindTo = (name: string, isUnseen: (row: Row) => boolean) => (db: Db) => {
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) => {
      const rows = await tx.query(statement, values)
      return statement.name === name ? rows.filter((row) => !isUnseen(row)) : rows
    }) as Tx['query'],
  })
  return { ...db, transaction: (work) => db.transaction((tx) => work(txOf(tx))) } satisfies Db
}

/** Each so-many-th transaction is undone, and whoever asked for it hears that it was committed. */
const losing = (every: number) => (db: Db) => {
  let count = 0
  const transaction: Db['transaction'] = async (work) => {
    let value: Awaited<ReturnType<typeof work>> | undefined
    try {
      return await db.transaction(async (tx) => {
        value = await work(tx)
        count += 1
        if (count % every === 0) throw new Lost()
        return value
      })
    } catch (error) {
      if (error instanceof Lost) return value as NonNullable<typeof value>
      throw error
    }
  }
  return { ...db, transaction }
}

export const PLANTED: readonly Planted[] = [
  { fault: 'a call is answered, and its commit is lost', breaks: 'R-4', party: 'wallet', seed: 1, plant: losing(12) },
  {
    fault: 'late copies of results are not known',
    breaks: 'I-2',
    party: 'wallet',
    seed: 2,
    plant: without('read_seen_calls'),
  },
  {
    fault: 'late copies of refused results are not known',
    breaks: 'I-2',
    party: 'wallet',
    seed: 2,
    plant: blindTo('read_seen_calls', ({ became }) => became === 'refused'),
  },
  {
    fault: 'what was booked is not in the balance',
    breaks: 'M-1',
    party: 'wallet',
    seed: 1,
    plant: without('save_accounts'),
  },
  { fault: 'the platform loses a commit', breaks: 'C-1', party: 'platform', seed: 1, plant: losing(60) },
  {
    fault: 'what a process that died was calling is left',
    breaks: 'C-12',
    party: 'platform',
    seed: 1,
    plant: without('platform_held_claims'),
  },
  {
    fault: 'a claim of a process that died is not released',
    breaks: 'C-12',
    party: 'platform',
    seed: 7,
    plant: without('platform_release'),
  },
  {
    fault: 'what waits behind another delivery is forgotten',
    breaks: 'C-6',
    party: 'platform',
    seed: 1,
    plant: without('platform_promote'),
  },
  {
    fault: 'nothing waits for earlier deliveries of its bet',
    breaks: 'C-6',
    party: 'platform',
    seed: 2,
    plant: without('platform_unfinished'),
  },
]

export function plantedAs(fault: string): Planted {
  const planted = PLANTED.find((one) => one.fault === fault)
  if (planted === undefined) throw new Error(`${fault}: not planted any more`)
  return planted
}

export function withPlanted({ party, plant }: Planted, stores: Stores): Stores {
  return { ...stores, [party]: { ...stores[party], db: plant(stores[party].db) } }
}
