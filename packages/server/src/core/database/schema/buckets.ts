/** The number of buckets. It is fixed when the database is created, and checked at every start. */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, type Row, type Statement, statement } from '../db.ts'

const READ_BUCKETS = statement('read_buckets', "select value from purser.setting where name = 'buckets'")
const WRITE_BUCKETS = statement(
  'write_buckets',
  "insert into purser.setting (name, value) values ('buckets', $1::text) on conflict (name) do nothing",
)

/** The first start records the number. Throws when another number is requested. */
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

/** For read-only programs; 1 before the first start of a wallet. */
export async function readBucketCount(db: Pick<Db, 'query'>): Promise<number> {
  return toBucketCount(await db.query<Setting>(READ_BUCKETS)) || 1
}

interface Setting extends Row {
  readonly value: string
}

/** NaN before the first start of a wallet. */
function toBucketCount([row]: readonly Setting[]): number {
  return Number.parseInt(row?.value ?? '', 10)
}

/**
 * Yields the buckets of this database, without a query, and then buckets that only rows have,
 * because of a change by hand. `next` finds the first bucket after `$1`; it reads every shard of
 * Citus, so it does not run for each bucket.
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
