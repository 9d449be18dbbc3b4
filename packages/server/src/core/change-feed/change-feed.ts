/**
 * Reader side of the change feed: pages, and waiting for the next event (long polling).
 *
 * While callers wait, one query at a time looks for events that any process has added, a few times
 * a second. While no caller waits, no query runs.
 */

import { createDeferred } from '@purser/runtime/async/deferred'
import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { type Db, type Queryable, statement } from '../database/db.ts'
import {
  type ChangeStore,
  numberAllChanges,
  numberChanges,
  readChanges,
  readFeedExtent,
  readNextBegin,
  type StoredEvent,
} from './change-store.ts'

export interface FeedEvent {
  /** The number of the event, which is also the cursor after it. */
  readonly id: string
  readonly at: Date
  readonly event: StoredEvent
}

export interface FeedPage {
  readonly events: readonly FeedEvent[]
  /** The cursor of the next page: the last event's id, or the given cursor if the page is empty. */
  readonly next: string
}

export type FeedAnswer =
  | { readonly kind: 'page'; readonly page: FeedPage }
  /** Retention has deleted the next events; the feed begins after `first`. */
  | { readonly kind: 'too_old'; readonly first: string }
  /** The cursor is not one of this feed, which ends with `last`. */
  | { readonly kind: 'unknown'; readonly last: string }
  /** MAX_FEED_WAITERS callers wait already. */
  | { readonly kind: 'busy' }

/** A cursor, or `latest` for the end of the feed; undefined: its beginning. */
export type FeedCursor = string | undefined

export interface Feed {
  /** If no event exists, waits for one up to `waitMs`, or until `signal`. */
  poll(after: FeedCursor, limit: number, waitMs: number, signal?: AbortSignal): Promise<FeedAnswer>
  /** Ends every wait, and permits no new one. */
  close(): void
  /** True if this process was polled in the last FOLLOWED_MS. */
  isFollowed(): boolean
  isClosed(): boolean
}

/** Milliseconds between two queries while callers wait; more if the last query took longer. */
const POLL_MS = 200
/** Milliseconds in which a follower polls again; a poll that waits takes at most 30 s. */
const FOLLOWED_MS = 60_000
/** Per process. */
export const MAX_FEED_WAITERS = 200

interface FeedWaiter {
  readonly after: bigint
  wake(): void
}

export function createFeed(db: Db, store: ChangeStore): Feed {
  const waiters = new Set<FeedWaiter>()
  let watching = false
  let isClosed = false
  let polledAt = Number.NEGATIVE_INFINITY
  const watch = async () => {
    watching = true
    let pollMs = 0
    while (waiters.size > 0) {
      await sleep(Math.max(POLL_MS, pollMs))
      const waited = new Set(waiters)
      const begun = environment.monotonicNow()
      const last = await numberChanges(db, store).catch(() => undefined) // the next iteration repeats it, or the wait ends
      pollMs = environment.monotonicNow() - begun
      if (last === undefined) continue
      // The feed can end before a waiter's cursor if the database was restored to an earlier state.
      // The next poll reports that.
      for (const waiter of waiters)
        if (last > waiter.after || (last < waiter.after && waited.has(waiter))) waiter.wake()
    }
    watching = false
  }
  const wait = async (after: bigint, waitMs: number, signal: AbortSignal | undefined) => {
    const { promise, resolve } = createDeferred()
    const waiter = { after, wake: resolve }
    const cancel = environment.setTimer(waitMs, resolve)
    signal?.addEventListener('abort', resolve, { once: true })
    waiters.add(waiter)
    if (!watching) void watch()
    await promise
    waiters.delete(waiter)
    cancel()
    signal?.removeEventListener('abort', resolve)
  }
  return {
    async poll(cursor, limit, waitMs, signal) {
      polledAt = environment.monotonicNow()
      const last = await (cursor === 'latest' ? numberAllChanges : numberChanges)(db, store)
      const after =
        cursor === undefined ? (await readFeedExtent(db.userQueries, store)).beforeFirst : parseCursor(cursor, last)
      if (after === undefined) return { kind: 'unknown', last: String(last) }
      const isEmpty = after === last
      const mayWait = waitMs > 0 && !isClosed && !signal?.aborted
      if (isEmpty && !mayWait) return { kind: 'page', page: { events: [], next: String(after) } }
      if (isEmpty && waiters.size >= MAX_FEED_WAITERS) return { kind: 'busy' }
      if (isEmpty) await wait(after, waitMs, signal)
      const page = await readPage(db, store, after, limit)
      const first = page.events[0]?.id
      const isNext = first === undefined ? isEmpty : BigInt(first) === after + 1n
      return isNext ? { kind: 'page', page } : readPageAfterGap(db, store, cursor, after, limit)
    },
    close() {
      isClosed = true
      for (const waiter of waiters) waiter.wake()
    },
    isFollowed: () => environment.monotonicNow() - polledAt < FOLLOWED_MS,
    isClosed: () => isClosed,
  }
}

/**
 * Reads the page if it does not begin directly after `after`.
 *
 * Numbers become visible in their order, so a missing number is lost. The audit reports it, and the
 * feed continues after it. On Citus workers commit one after another, so a missing number may
 * appear later. It counts as lost, up to the last number, once no worker has a pending commit.
 */
async function readPageAfterGap(
  db: Db,
  store: ChangeStore,
  cursor: FeedCursor,
  after: bigint,
  limit: number,
): Promise<FeedAnswer> {
  const { beforeFirst, last } = await readFeedExtent(db.userQueries, store)
  // Retention ran meanwhile. A caller without a cursor gets the new beginning.
  if (beforeFirst > after && cursor !== undefined) return { kind: 'too_old', first: String(beforeFirst) }
  const isLate = db.kind === 'citus' && (await hasLeftToCommit(db.userQueries))
  const begin = await readNextBegin(db.userQueries, store, after)
  const isLost = begin !== undefined && begin <= last && !isLate
  return { kind: 'page', page: isLost ? await readPage(db, store, begin, limit) : { events: [], next: String(after) } }
}

const READ_LEFT_TO_COMMIT = statement(
  'feed_left_to_commit',
  `select bool_or(not success or result <> '0') as is_left
   from pg_catalog.run_command_on_workers('select count(*) from pg_catalog.pg_prepared_xacts where database = current_database()')`,
)

async function hasLeftToCommit(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ is_left: boolean }>(READ_LEFT_TO_COMMIT, [])
  return row?.is_left ?? false
}

async function readPage(db: Db, store: ChangeStore, after: bigint, limit: number): Promise<FeedPage> {
  const found = await readChanges(db.userQueries, store, after, limit, db.kind === 'citus')
  const events = found.map(({ number, at, event }) => ({ id: String(number), at, event }))
  return { events, next: events.at(-1)?.id ?? String(after) }
}

/** A number of 18 digits fits into a bigint of the database. */
const NUMBER = /^\d{1,18}$/

function parseCursor(cursor: string, last: bigint): bigint | undefined {
  if (cursor === 'latest') return last
  const after = NUMBER.test(cursor) ? BigInt(cursor) : undefined
  return after !== undefined && after <= last ? after : undefined
}
