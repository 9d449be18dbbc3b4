/**
 * Store of the changes of a wallet or platform (transactional outbox).
 *
 * The transaction of a change adds a row without a number. Later one process at a time numbers the
 * committed rows. The number is the position in the feed, which has these invariants:
 * - No event is skipped: a row that commits late has no number yet, and gets the next one.
 * - No event is doubled: number and counter are written in one transaction, under a lock.
 * - An event that follows from another one comes after it: its transaction saw the other row, or
 *   waited for a lock of the other transaction, and so got a larger `change_id`.
 *
 * States of a row:
 * - added, without a number: committed and numbered → in the feed
 */

import { isConflict } from '../database/database-errors.ts'
import { type Db, type Queryable, type Row, type Statement, statement, type Tx } from '../database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../database/row-mapping.ts'
import { MAX_NUMBERED_PER_TRANSACTION, numberAcrossBuckets } from './distributed-numbering.ts'

interface Slice {
  readonly size: number
  readonly items: readonly StoredEvent[]
}

const UNORDERED_SLICES = mapRows<Slice>(1, {
  size: ['int', ({ size }) => size],
  events: ['text', ({ items }) => JSON.stringify(items)],
})
/** Keeps the order of the items, which becomes the order of the feed. */
const SLICES = { ...UNORDERED_SLICES, from: `(select * from ${UNORDERED_SLICES.from} p order by p.ord)` }

type Member = string | number | boolean | null | readonly string[]
/** An event of the writer: its name, and members whose meaning the store does not know. */
export type StoredEvent = readonly [name: string, ...members: readonly Member[]]

const MAX_PER_ITEM = 2
/**
 * Limit of the events in one row: two for each call of a batch. A page may read this number of
 * events too many.
 */
export const MAX_EVENTS_PER_CHANGE = 512

export interface ChangeStore {
  readonly schema: 'platform' | 'purser'
  /**
   * Returns the events of a stored item. The result must never change, because stored numbers
   * depend on it.
   */
  eventsOf(item: StoredEvent): readonly StoredEvent[]
  readonly add: Statement
  /** Runs often: reads the last number, and if unnumbered rows exist. */
  readonly progress: Statement
  readonly last: Statement
  readonly extent: Statement
  /** Runs for the metrics: reads the last number, and the time of the oldest unnumbered row. */
  readonly state: Statement
  readonly lock: Statement
  readonly number: Statement
  readonly read: Statement
  readonly nextAfter: Statement
}

/** `schema` has the tables change and feed_counter; the wallet's changes have a bucket. */
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
      // Without the limit Citus would fetch all rows.
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
    // A join on ctid has only one plan. While Postgres expects few new rows, it would compare each
    // pair in a join on ids.
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

/**
 * Must run in the transaction of the changes, after their locks are taken. `bucket` is for the
 * wallet.
 */
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

/** The readable part of the feed: numbers from `beforeFirst` (exclusive) to `last`. */
export interface FeedExtent {
  readonly beforeFirst: bigint
  readonly last: bigint
}

export async function readFeedExtent(db: Queryable, { extent }: ChangeStore): Promise<FeedExtent> {
  const row = requireCountRow(await db.query<CountRow & { before_first: bigint }>(extent))
  return { beforeFirst: row.before_first, last: row.last }
}

/** Numbers the committed rows, unless another process is doing so. Returns the last number. */
export async function numberChanges(db: Db, store: ChangeStore): Promise<bigint> {
  const progress = requireCountRow(await db.userQueries.query<CountRow & { has_new: boolean }>(store.progress))
  if (!progress.has_new) return progress.last
  await db
    .transaction((tx) => numberUnlessLocked(db, tx, store))
    .catch((error: unknown) => {
      if (!(isDistributed(db, store) && isConflict(error))) throw error // another process has just numbered the same rows
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
 * The caller holds the lock of the counter. The statements are separate from the lock, so they see
 * the commits of its previous holder. Returns the number of numbered rows.
 */
export function numberUnderLock(db: Db, tx: Tx, store: ChangeStore): Promise<number> {
  return isDistributed(db, store) ? numberAcrossBuckets(tx) : tx.execute(store.number, [])
}

/**
 * Repeats `numberChanges` until all rows that existed at the beginning are numbered, or until
 * `signal`.
 */
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
  return requireCountRow(await db.userQueries.query<CountRow>(last)).last
}

function requireCountRow<R extends CountRow>([row]: readonly R[]): R {
  if (row === undefined) throw new Error('the count of changes is missing')
  return row
}

/**
 * Finds the number at which the next row begins, however far away. A page looks for it only within
 * its own length.
 */
export async function readNextBegin(db: Queryable, store: ChangeStore, after: bigint): Promise<bigint | undefined> {
  const [row] = await db.query<{ before: bigint }>(store.nextAfter, [after])
  return row && (row.before > after ? row.before : after)
}

interface NumberedEvent {
  readonly number: bigint
  readonly at: Date
  readonly event: StoredEvent
}

/**
 * Returns the next events after number `after`. With `upToGap` it stops before the first missing
 * number: on Citus the commit of one worker may be visible before another's.
 */
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
