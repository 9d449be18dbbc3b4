/**
 * Numbering of a feed whose buckets are distributed over Citus workers.
 *
 * Each bucket has its own statement, which goes to one worker. One statement for all buckets would
 * look for every row in every shard, which is 5 million lookups with 1,024 buckets.
 *
 * Rows are not identified by ctid here, because it is not unique across shards. Workers commit
 * after the coordinator. So a process that gets the lock next may not see the newest numbers yet.
 * It must not number the same rows again.
 */
import { type Row, statement, type Tx } from '../database/db.ts'

export const MAX_NUMBERED_PER_TRANSACTION = 5_000

const READ_UNNUMBERED = statement(
  'purser_fresh_changes',
  `select bucket, change_id, size from purser.change where last_number is null order by change_id limit ${MAX_NUMBERED_PER_TRANSACTION}`,
)
const READ_LAST_NUMBER = statement('purser_last_number', 'select last_number from purser.feed_counter')
const WRITE_LAST_NUMBER = statement('purser_count_changes', 'update purser.feed_counter set last_number = $1::bigint')
const NUMBER_CHANGES_OF_BUCKET = statement(
  'purser_number_changes_of_bucket',
  `with numbered as (
     update purser.change c set last_number = r.last_number from unnest($2::bigint[], $3::bigint[]) as r (change_id, last_number)
     where c.bucket = $1::int and c.change_id = r.change_id and c.last_number is null returning 1
   ) select case when count(*) < cardinality($2::bigint[]) then purser.raise_stale_row('a change') end from numbered`,
)

interface UnnumberedRow extends Row {
  readonly bucket: number
  readonly change_id: bigint
  readonly size: number
}

/** The caller holds the lock of the counter. Returns the number of numbered rows. */
export async function numberAcrossBuckets(tx: Tx): Promise<number> {
  const [[count], fresh] = await Promise.all([
    tx.query<{ last_number: bigint }>(READ_LAST_NUMBER, []),
    tx.query<UnnumberedRow>(READ_UNNUMBERED, []),
  ])
  if (count === undefined || fresh.length === 0) return 0
  const buckets = new Map<number, [ids: bigint[], numbers: bigint[]]>()
  let number = count.last_number
  for (const { bucket, change_id: id, size } of fresh) {
    number += BigInt(size)
    const [ids, numbers] = buckets.get(bucket) ?? [[], []]
    ids.push(id)
    numbers.push(number)
    buckets.set(bucket, [ids, numbers])
  }
  await Promise.all([
    tx.execute(WRITE_LAST_NUMBER, [number]),
    ...[...buckets].map(([bucket, values]) => tx.execute(NUMBER_CHANGES_OF_BUCKET, [bucket, ...values])),
  ])
  return fresh.length
}
