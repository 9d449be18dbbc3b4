/**
 * Copies the feed with its numbers, so consumers continue with the same cursor. A row belongs to
 * the bucket of its players. If the new database has several buckets for these players, the row
 * becomes several consecutive rows.
 */

import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import { type Row, statement } from '../../core/database/db.ts'
import { bucketOf } from '../store/bucket.ts'
import { splitItemByPlayer, WALLET_CHANGES } from '../store/wallet-changes.ts'
import { type MoveSides, readSnapshot } from './row-sync.ts'

/** Rows per slice, each with some hundred events at most. */
const AT_ONCE = 100

interface ChangeRow extends Row {
  bucket: number
  size: number
  at: string
  events: string
  /** Null for rows without a number. */
  last: string | null
}

const COLUMNS = `bucket, size, (at at time zone 'UTC')::text as at, events::text as events, last_number::text as last`
const EXTENT = statement(
  'move_extent_of_feed',
  `select n.last_number::text as count,
     (select (last_number - size)::text from purser.change where last_number is not null order by last_number limit 1) as first
   from purser.feed_counter n`,
)
const NEXT = statement(
  'move_next_changes',
  `select ${COLUMNS} from purser.change where last_number > $1::bigint order by last_number limit ${AT_ONCE}`,
)
const IN_RANGE = statement(
  'move_changes_in_range',
  `select ${COLUMNS} from purser.change where last_number > $1::bigint and last_number <= $2::bigint order by last_number`,
)
const REMOVE_RANGE = statement(
  'move_remove_changes_in_range',
  'delete from purser.change where last_number > $1::bigint and last_number <= $2::bigint',
)
const REMOVE_OUTSIDE = statement(
  'move_remove_changes_outside',
  'delete from purser.change where last_number is not null and (last_number <= $1::bigint or last_number > $2::bigint)',
)
const UNNUMBERED = statement(
  'move_changes_without_number',
  `select ${COLUMNS} from purser.change where last_number is null order by change_id`,
)
const REMOVE_UNNUMBERED = statement(
  'move_remove_changes_without_number',
  'delete from purser.change where last_number is null',
)
const ADD = statement(
  'move_add_changes',
  `insert into purser.change (bucket, size, at, events, last_number)
   select $1::int, r.size, r.at::timestamp at time zone 'UTC', r.events::json, r.last
   from unnest($2::int[], $3::text[], $4::text[], $5::bigint[]) with ordinality as r (size, at, events, last, place) order by r.place`,
)
const SET_COUNT = statement(
  'move_set_count_of_changes',
  'update purser.feed_counter set last_number = $1::bigint where last_number <> $1::bigint',
)

interface Outcome {
  readonly rows: number
  readonly changed: number
  /** Both sides are equal after the copy. */
  readonly isSame: boolean
}

/**
 * `isLast`: no other process writes, and rows without a number are copied too. Otherwise these rows
 * are left to a later round.
 */
export async function copyFeed(sides: MoveSides, isLast: boolean, signal: AbortSignal): Promise<Outcome> {
  const { from, to, buckets } = sides
  const [extent] = await readSnapshot<{ count: string; first: string | null }>(from, EXTENT, [])
  if (extent === undefined) throw new Error('the count of changes is missing')
  let [rows, changed, isSame] = [0, 0, true]
  let at = extent.first ?? extent.count
  await to.longTransaction((tx) => tx.execute(REMOVE_OUTSIDE, [at, extent.count]))
  while (!signal.aborted) {
    const found = takeUntilGap(await readSnapshot<ChangeRow>(from, NEXT, [at]), at)
    const end = found.at(-1)?.last
    if (end === undefined || end === null) break
    const expected = found.flatMap((row) => splitByBucket(row, buckets))
    const range = [at, end]
    if (!isEqual(await readSnapshot<ChangeRow>(to, IN_RANGE, range), expected)) {
      changed += expected.length
      await to.longTransaction(async (tx) => {
        await tx.execute(REMOVE_RANGE, range)
        // Numbered rows can be inserted in any order.
        for (const values of toRuns(expected.toSorted((a, b) => a.bucket - b.bucket))) await tx.execute(ADD, values)
      })
      isSame &&= isEqual(await readSnapshot<ChangeRow>(to, IN_RANGE, range), expected)
    }
    rows += expected.length
    at = end
  }
  await to.longTransaction((tx) => tx.execute(SET_COUNT, [at]))
  const isWhole = at === extent.count
  const left = isLast ? await readSnapshot<ChangeRow>(from, UNNUMBERED, []) : []
  const expected = left.flatMap((row) => splitByBucket(row, buckets))
  if (!isEqual(await readSnapshot<ChangeRow>(to, UNNUMBERED, []), expected)) {
    changed += expected.length
    await to.longTransaction(async (tx) => {
      await tx.execute(REMOVE_UNNUMBERED, [])
      for (const values of toRuns(expected)) await tx.execute(ADD, values)
    })
    isSame &&= isEqual(await readSnapshot<ChangeRow>(to, UNNUMBERED, []), expected)
  }
  return { rows: rows + expected.length, changed, isSame: isSame && isWhole }
}

/** The rows before the first gap: on several machines rows can become visible out of order. */
function takeUntilGap(rows: readonly ChangeRow[], after: string): readonly ChangeRow[] {
  let last = BigInt(after)
  const gap = rows.findIndex((row) => {
    const isNext = BigInt(row.last ?? 0) - BigInt(row.size) === last
    last = BigInt(row.last ?? 0)
    return !isNext
  })
  return gap === -1 ? rows : rows.slice(0, gap)
}

/** The row in a database with this number of buckets. */
export function splitByBucket(row: ChangeRow, buckets: number): ChangeRow[] {
  const items = JSON.parse(row.events) as StoredEvent[]
  const runs: { bucket: number; items: StoredEvent[] }[] = []
  const parts = items.flatMap((item) => splitItemByPlayer(item, (player) => bucketOf(player, buckets)))
  for (const { place, item } of parts) {
    const run = runs.at(-1)
    if (run?.bucket === place) run.items.push(item)
    else runs.push({ bucket: place, items: [item] })
  }
  const [only] = runs
  if (runs.length === 1 && only !== undefined) return [{ ...row, bucket: only.bucket }]
  let last = row.last === null ? undefined : BigInt(row.last) - BigInt(row.size)
  return runs.map(({ bucket, items: own }) => {
    const size = own.flatMap(WALLET_CHANGES.eventsOf).length
    if (last !== undefined) last += BigInt(size)
    return { bucket, size, at: row.at, events: JSON.stringify(own), last: last === undefined ? null : String(last) }
  })
}

const MEMBERS = ['bucket', 'size', 'at', 'events', 'last'] as const

function isEqual(there: readonly ChangeRow[], expected: readonly ChangeRow[]): boolean {
  return (
    there.length === expected.length &&
    there.every((row, i) => MEMBERS.every((member) => row[member] === expected[i]?.[member]))
  )
}

/**
 * Groups consecutive rows of a bucket for one insert. The order of inserts orders rows without a
 * number.
 */
function toRuns(rows: readonly ChangeRow[]): unknown[][] {
  const runs: ChangeRow[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    if (run?.[0]?.bucket === row.bucket) run.push(row)
    else runs.push([row])
  }
  return runs.map((run) => [
    run[0]?.bucket,
    ...(['size', 'at', 'events', 'last'] as const).map((member) => run.map((row) => row[member])),
  ])
}
