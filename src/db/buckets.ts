/** The number of buckets is fixed when the database is created and checked at every start. */

import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, statement } from './db.ts'

const READ_BUCKETS = statement('read_buckets', "select value from purser.setting where name = 'buckets'")
const WRITE_BUCKETS = statement(
  'write_buckets',
  "insert into purser.setting (name, value) values ('buckets', $1::text) on conflict (name) do nothing",
)

/** The number of buckets of this database; the first start fixes it. Throws when another number is asked for. */
export async function fixBuckets(db: Db, wanted: number | undefined, usual = 1): Promise<number> {
  await db.transaction((tx) => tx.execute(WRITE_BUCKETS, [String(wanted ?? usual)]))
  const [row] = await db.query<{ value: string }>(READ_BUCKETS)
  const buckets = Number.parseInt(row?.value ?? '', 10)
  if (wanted !== undefined && wanted !== buckets) {
    throw new WrongUse(`the database was created with PURSER_BUCKETS=${buckets} and cannot be used with ${wanted}`)
  }
  return buckets
}
