/** The number of buckets is fixed when the database is created and checked at every start. */

import { UsageError } from '../../../../runtime/errors/cli-errors.ts'
import { type Db, type Row, type Statement, statement } from '../db.ts'

const READ_BUCKETS = statement('read_buckets', "select value from purser.setting where name = 'buckets'")
const WRITE_BUCKETS = statement(
  'write_buckets',
  "insert into purser.setting (name, value) values ('buckets', $1::text) on conflict (name) do nothing",
)

/** The number of buckets of this database; the first start fixes it. Throws when another number is asked for. */
export async function recordBucketCount(db: Db, requested: number | undefined, defaultCount = 1): Promise<number> {
  await db.transaction((tx) => tx.execute(WRITE_BUCKETS, [String(requested ?? defaultCount)]))
  const buckets = toBucketCount(await db.query<Setting>(READ_BUCKETS))
  if (requested !== undefined && requested !== buckets) {
    throw new UsageError(
      `the database was created with PURSER_BUCKETS=${buckets} and cannot be used with ${requested}: set the old number, or unset it`,
    )
  }
  return buckets
}

/** The number of buckets of this database, for what only reads; 1 where no wallet has been yet. */
export async function readBucketCount(db: Pick<Db, 'query'>): Promise<number> {
  return toBucketCount(await db.query<Setting>(READ_BUCKETS)) || 1
}

interface Setting extends Row {
  readonly value: string
}

/** Not a number where no wallet has been yet. */
function toBucketCount([row]: readonly Setting[]): number {
  return Number.parseInt(row?.value ?? '', 10)
}

/**
 * All buckets, in order: those of this database, without asking; and behind them those that only rows have, which somebody must have changed by
 * hand. `next` finds such a one behind `$1`: it looks into every shard of Citus, so it is not asked for each bucket.
 */
export async function* iterateBuckets(db: Pick<Db, 'snapshot'>, next: Statement): AsyncGenerator<number> {
  const buckets = toBucketCount(await db.snapshot((tx) => tx.query<Setting>(READ_BUCKETS))) || 0
  for (let bucket = 0; bucket < buckets; bucket += 1) yield bucket
  const findNextAfter = async (bucket: number) => {
    const [row] = await db.snapshot((tx) => tx.query<{ bucket: number | null }>(next, [bucket]))
    return row?.bucket ?? undefined
  }
  for (let bucket = await findNextAfter(buckets - 1); bucket !== undefined; bucket = await findNextAfter(bucket))
    yield bucket
}
