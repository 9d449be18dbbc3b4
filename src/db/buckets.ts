/** The number of buckets is fixed when the database is created and checked at every start. */

import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, type Row, type Statement, statement } from './db.ts'

const READ_BUCKETS = statement('read_buckets', "select value from purser.setting where name = 'buckets'")
const WRITE_BUCKETS = statement(
  'write_buckets',
  "insert into purser.setting (name, value) values ('buckets', $1::text) on conflict (name) do nothing",
)

/** The number of buckets of this database; the first start fixes it. Throws when another number is asked for. */
export async function fixBuckets(db: Db, wanted: number | undefined, usual = 1): Promise<number> {
  await db.transaction((tx) => tx.execute(WRITE_BUCKETS, [String(wanted ?? usual)]))
  const buckets = toNumber(await db.query<Setting>(READ_BUCKETS))
  if (wanted !== undefined && wanted !== buckets) {
    throw new WrongUse(`the database was created with PURSER_BUCKETS=${buckets} and cannot be used with ${wanted}`)
  }
  return buckets
}

/** The number of buckets of this database, for what only reads; 1 where no wallet has been yet. */
export async function readBuckets(db: Pick<Db, 'query'>): Promise<number> {
  return toNumber(await db.query<Setting>(READ_BUCKETS)) || 1
}

interface Setting extends Row {
  readonly value: string
}

/** Not a number where no wallet has been yet. */
function toNumber([row]: readonly Setting[]): number {
  return Number.parseInt(row?.value ?? '', 10)
}

/**
 * All buckets, in order: those of this database, without asking; and behind them those that only rows have, which somebody must have changed by
 * hand. `next` finds such a one behind `$1`: it looks into every shard of Citus, so it is not asked for each bucket.
 */
export async function* everyBucket(db: Pick<Db, 'snapshot'>, next: Statement): AsyncGenerator<number> {
  const buckets = toNumber(await db.snapshot((tx) => tx.query<Setting>(READ_BUCKETS))) || 0
  for (let bucket = 0; bucket < buckets; bucket += 1) yield bucket
  const behind = async (bucket: number) => {
    const [row] = await db.snapshot((tx) => tx.query<{ bucket: number | null }>(next, [bucket]))
    return row?.bucket ?? undefined
  }
  for (let bucket = await behind(buckets - 1); bucket !== undefined; bucket = await behind(bucket)) yield bucket
}
