/** What is fixed for the life of a database and checked at every start: the number of buckets, the scales of currencies. */
import type { Scales } from '../protocol/money.ts'
import { type Db, statement, type Tx } from './db.ts'

const READ_BUCKETS = statement('read_buckets', "select value from purser.setting where name = 'buckets'")
const WRITE_BUCKETS = statement(
  'write_buckets',
  "insert into purser.setting (name, value) values ('buckets', $1::text) on conflict (name) do nothing",
)

/** The number of buckets of this database; the first start fixes it. Throws when another number is asked for. */
export async function fixBuckets(db: Db, wanted: number | undefined): Promise<number> {
  await db.transaction((tx) => tx.execute(WRITE_BUCKETS, [String(wanted ?? 1)]))
  const [row] = await db.query<{ value: string }>(READ_BUCKETS)
  const buckets = Number.parseInt(row?.value ?? '', 10)
  if (wanted !== undefined && wanted !== buckets) {
    throw new Error(`the database was created with PURSER_BUCKETS=${buckets} and cannot be used with ${wanted}`)
  }
  return buckets
}

const WRITE_SCALES = statement(
  'write_scales',
  `insert into purser.currency (currency, scale) select * from unnest($1::text[], $2::smallint[])
   on conflict (currency) do update set scale = excluded.scale
   where purser.currency.scale <> excluded.scale
     and not exists (select 1 from purser.account a where a.currency = excluded.currency)`,
)
const READ_SCALES = statement('read_scales', 'select currency, scale from purser.currency')

/** Amounts are stored in minor units, so a scale cannot change once a player has an account in the currency. Throws if it would. */
export async function fixScales(db: Db, scales: Scales): Promise<void> {
  const rows = await db.transaction((tx) => writeScales(tx, scales))
  const changed = rows.filter(({ currency, scale }) => scales.has(currency) && scales.get(currency) !== scale)
  if (changed.length === 0) return
  const list = changed.map(
    ({ currency, scale }) => `${currency} is stored with ${scale} decimals, configured are ${scales.get(currency)}`,
  )
  throw new Error(`the scale of a currency in use cannot change: ${list.join('; ')}`)
}

async function writeScales(tx: Tx, scales: Scales): Promise<{ currency: string; scale: number }[]> {
  const sorted = [...scales].sort(([a], [b]) => (a < b ? -1 : 1))
  await tx.execute(WRITE_SCALES, [sorted.map(([currency]) => currency), sorted.map(([, scale]) => scale)])
  return tx.query(READ_SCALES)
}
