/**
 * Changes as they are stored, for a wallet or a platform. The transaction of a change adds a row; numbers are given later, by one process
 * at a time, to what is committed. The number is the place in the feed, so that
 * - nothing is skipped: a row that commits after ones with a larger change_id has no number, and gets the next one;
 * - nothing is doubled: a number is given once, under a lock, and in the same transaction as the count;
 * - what follows from something comes after it: who sees a change, or waits for its lock, writes a larger change_id later.
 *
 *   added ──committed──► without a number ──numbered──► in the feed
 */

import { isConflict } from '../database/database-errors.ts'
import { type Db, type Queryable, type Row, type Statement, statement, type Tx } from '../database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../database/row-mapping.ts'
import { MAX_NUMBERED_PER_TRANSACTION, numberAcrossBuckets } from './distributed-numbering.ts'

/** Items that are added as one row. */
interface Slice {
  readonly size: number
  readonly items: readonly StoredEvent[]
}

const UNORDERED_SLICES = mapRows<Slice>(1, {
  size: ['int', ({ size }) => size],
  events: ['text', ({ items }) => JSON.stringify(items)],
})
/** Which becomes the order of the feed. */
const SLICES = { ...UNORDERED_SLICES, from: `(select * from ${UNORDERED_SLICES.from} p order by p.ord)` }

type Member = string | number | boolean | null | readonly string[]
/** An event, as its writer gives it: a name and members that JSON can hold. What they mean is the reader's and writer's business. */
export type StoredEvent = readonly [name: string, ...members: readonly Member[]]

/** Events of an item that is added here. */
const MAX_PER_ITEM = 2
/** Events of one row, two of each call of a batch; so that a page reads few rows too many. */
export const MAX_EVENTS_PER_CHANGE = 512

export interface ChangeStore {
  readonly schema: 'platform' | 'purser'
  /** The events of an item of a row. For good: the numbers of what is stored follow from it. */
  eventsOf(item: StoredEvent): readonly StoredEvent[]
  readonly add: Statement
  /** Again and again, by everybody who waits: how far the feed goes, and whether there is more. */
  readonly progress: Statement
  readonly last: Statement
  readonly extent: Statement
  /** For the metrics: the last number, and the oldest event without one. */
  readonly state: Statement
  readonly lock: Statement
  readonly number: Statement
  readonly read: Statement
  readonly nextAfter: Statement
}

/** `schema` has the tables change and feed_counter; the wallet's lies by buckets. */
export function createChangeStore(
  schema: ChangeStore['schema'],
  eventsOf: ChangeStore['eventsOf'] = (item) => [item],
): ChangeStore {
  const table = `${schema}.change`
  const count = `${schema}.feed_counter`
  const [bucket, itsBucket] = schema === 'purser' ? ['bucket, ', '$4::int, '] : ['', '']
  return {
    schema,
    eventsOf,
    add: createInsertStatement(
      `${schema}_add_changes`,
      SLICES,
      (count) => `insert into ${table} (${bucket}size, at, events)
       ${formatInsertSource(SLICES, count, ([size, events]) => `${itsBucket}${size}, $3::timestamptz, (${events})::json`)}`,
    ),
    progress: statement(
      `${schema}_look_at_changes`,
      // The limit is for Citus, which else fetches all of them.
      `select n.last_number as last, exists (select 1 from ${table} where last_number is null limit 1) as has_new from ${count} n`,
    ),
    last: statement(`${schema}_last_change`, `select last_number as last from ${count}`),
    extent: statement(
      `${schema}_extent_of_changes`,
      `select n.last_number as last,
         coalesce((select c.last_number - c.size from ${table} c where c.last_number is not null order by c.last_number limit 1),
           n.last_number) as before_first
       from ${count} n`,
    ),
    state: statement(
      `${schema}_state_of_changes`,
      `select n.last_number as last, (select at from ${table} where last_number is null order by change_id limit 1) as oldest
       from ${count} n`,
    ),
    lock: statement(`${schema}_lock_change_count`, `select last_number from ${count} for update skip locked`),
    // By ctid: a join has a choice of plan, and while Postgres expects few new rows it compares each with each.
    number: statement(
      `${schema}_number_changes`,
      `with fresh as (
         select row, sum(size) over (order by change_id rows unbounded preceding) as place
         from (select ctid as row, change_id, size from ${table} where last_number is null order by change_id limit ${MAX_NUMBERED_PER_TRANSACTION}) c
       ), counted as (
         update ${count} n set last_number = n.last_number + f.total from (select max(place) as total from fresh) f where f.total > 0
       )
       update ${table} c set last_number = n.last_number + f.place
       from fresh f cross join ${count} n where c.ctid = f.row`,
    ),
    read: statement(
      `${schema}_read_changes`,
      `select last_number - size as before, at, events from ${table}
       where last_number > $1::bigint and last_number < $1::bigint + $2::int + ${MAX_EVENTS_PER_CHANGE} and last_number - size < $1::bigint + $2::int
       order by last_number`,
    ),
    nextAfter: statement(
      `${schema}_first_change_behind`,
      `select last_number - size as before from ${table} where last_number > $1::bigint order by last_number limit 1`,
    ),
  }
}

/** In the transaction that makes the changes, after it holds what it changes. `bucket`: of the wallet. */
export async function addChanges(
  tx: Tx,
  store: ChangeStore,
  items: readonly StoredEvent[],
  at: Date,
  bucket?: number,
): Promise<void> {
  if (items.length === 0) return
  const perRow = MAX_EVENTS_PER_CHANGE / MAX_PER_ITEM
  const slices = Array.from({ length: Math.ceil(items.length / perRow) }, (_, i) =>
    items.slice(i * perRow, (i + 1) * perRow),
  )
  const sized = slices.map((slice) => ({
    items: slice,
    size: slice.reduce((sum, item) => sum + store.eventsOf(item).length, 0),
  }))
  const values = [...SLICES.values(sized), at]
  await tx.execute(store.add, bucket === undefined ? values : [...values, bucket])
}

/** What of the feed can be read: the numbers from `beforeFirst` (exclusive) to `last`. */
export interface FeedExtent {
  readonly beforeFirst: bigint
  readonly last: bigint
}

/** What has a number. */
export async function readFeedExtent(db: Queryable, { extent }: ChangeStore): Promise<FeedExtent> {
  const row = requireCountRow(await db.query<CountRow & { before_first: bigint }>(extent))
  return { beforeFirst: row.before_first, last: row.last }
}

/** Numbers what is committed, unless another process is just doing that; then tells the last number. */
export async function numberChanges(db: Db, store: ChangeStore): Promise<bigint> {
  const progress = requireCountRow(await db.people.query<CountRow & { has_new: boolean }>(store.progress))
  if (!progress.has_new) return progress.last
  await db
    .transaction((tx) => numberUnlessLocked(db, tx, store))
    .catch((error: unknown) => {
      if (!(isDistributed(db, store) && isConflict(error))) throw error // there another process has just numbered the same
    })
  return readLast(db, store)
}

async function numberUnlessLocked(db: Db, tx: Tx, store: ChangeStore): Promise<void> {
  const [mine] = await tx.query(store.lock)
  const number = () => numberUnderLock(db, tx, store)
  if (mine !== undefined) await (isDistributed(db, store) ? number() : tx.finish(number))
}

const isDistributed = ({ kind }: Db, { schema }: ChangeStore) => kind === 'citus' && schema === 'purser'

/**
 * For who holds the lock on the count: resolves to the rows that got a number. In statements of its own, which see what whoever held the lock
 * before has committed.
 */
export function numberUnderLock(db: Db, tx: Tx, store: ChangeStore): Promise<number> {
  return isDistributed(db, store) ? numberAcrossBuckets(tx) : tx.execute(store.number, [])
}

/** As `numberChanges`, until everything that was there at the beginning has its number, or `signal`. */
export async function numberAllChanges(db: Db, store: ChangeStore, signal?: AbortSignal): Promise<bigint> {
  let last = await readLast(db, store)
  for (
    let before = -BigInt(MAX_NUMBERED_PER_TRANSACTION);
    last - before >= MAX_NUMBERED_PER_TRANSACTION && !signal?.aborted;
  ) {
    before = last
    last = await numberChanges(db, store)
  }
  return last
}

interface CountRow extends Row {
  last: bigint
}

async function readLast(db: Db, { last }: ChangeStore): Promise<bigint> {
  return requireCountRow(await db.people.query<CountRow>(last)).last
}

function requireCountRow<R extends CountRow>([row]: readonly R[]): R {
  if (row === undefined) throw new Error('the count of changes is missing')
  return row
}

/** Where the next one that there is begins, however far away: a page looks only as far as its own length. */
export async function readNextBegin(db: Queryable, store: ChangeStore, after: bigint): Promise<bigint | undefined> {
  const [row] = await db.query<{ before: bigint }>(store.nextAfter, [after])
  return row && (row.before > after ? row.before : after)
}

interface NumberedEvent {
  readonly number: bigint
  readonly at: Date
  readonly event: StoredEvent
}

/** The next ones after this number, in order. `upToGap`: on Citus, where what one worker has is seen before what another one has. */
export async function readChanges(
  db: Queryable,
  { read, eventsOf }: ChangeStore,
  after: bigint,
  limit: number,
  upToGap = false,
): Promise<NumberedEvent[]> {
  const rows = await db.query<{ before: bigint; at: Date; events: StoredEvent[] }>(read, [after, limit])
  const all = rows.flatMap(({ before, at, events }) =>
    events.flatMap(eventsOf).map((event, i) => ({ number: before + BigInt(i) + 1n, at, event })),
  )
  const next = all.filter(({ number }) => number > after).slice(0, limit)
  if (!upToGap) return next
  const gap = next.findIndex(({ number }, i) => i > 0 && number !== next[i - 1]!.number + 1n)
  return gap === -1 ? next : next.slice(0, gap)
}
