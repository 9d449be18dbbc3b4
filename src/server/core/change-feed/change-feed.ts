/**
 * The feed as it is followed: pages, and waiting for the next one. While somebody waits, the database is asked a few times a second, whatever
 * process writes; while nobody does, the feed costs what it takes to write it.
 */

import { createDeferred } from '../../../runtime/async/deferred.ts'
import { sleep } from '../../../runtime/async/sleep.ts'
import { environment } from '../../../runtime/environment.ts'
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
  /** Its place in the feed, and the cursor behind it. */
  readonly id: string
  readonly at: Date
  readonly event: StoredEvent
}

export interface FeedPage {
  readonly events: readonly FeedEvent[]
  /** For the next page: the last event's id, or where this one began. */
  readonly next: string
}

export type FeedAnswer =
  | { readonly kind: 'page'; readonly page: FeedPage }
  /** Retention has taken what came next; the feed begins behind `first`. */
  | { readonly kind: 'too_old'; readonly first: string }
  /** No cursor of this feed, which ends with `last`. */
  | { readonly kind: 'unknown'; readonly last: string }
  /** As many wait as may. */
  | { readonly kind: 'busy' }

/** A cursor, `latest` for the end of the feed, or (undefined) its beginning. */
export type FeedCursor = string | undefined

export interface Feed {
  /** Waits up to `waitMs` for an event when there is none, or until `signal`. */
  poll(after: FeedCursor, limit: number, waitMs: number, signal?: AbortSignal): Promise<FeedAnswer>
  /** Ends every wait: nobody waits any more. */
  close(): void
  /** Whether somebody has asked for events of late, at this process. */
  isFollowed(): boolean
  /** True once it is closed. */
  isClosed(): boolean
}

/** Milliseconds between two looks at the database while somebody waits; as long as the last one took, when that is more. */
const POLL_MS = 200
/** Milliseconds after a question during which the next one is expected; one that waits for events takes 30 s at most. */
const FOLLOWED_MS = 60_000
/** Who may wait at once, in one process. */
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
      const last = await numberChanges(db, store).catch(() => undefined) // next time, or the wait ends
      pollMs = environment.monotonicNow() - begun
      if (last === undefined) continue
      // It ends before the cursor of one who waited already: the database was taken back, and the next question hears so.
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
        cursor === undefined ? (await readFeedExtent(db.people, store)).beforeFirst : parseCursor(cursor, last)
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
 * When a page does not begin behind `after`. Nothing that has a number is seen before what stands in front of it: what is missing is lost, which
 * the audit finds, and the feed goes on behind it. On Citus one worker commits after another, and what is missing may be seen in a moment: up to
 * the last number it is lost when no worker has anything left to commit.
 */
async function readPageAfterGap(
  db: Db,
  store: ChangeStore,
  cursor: FeedCursor,
  after: bigint,
  limit: number,
): Promise<FeedAnswer> {
  const { beforeFirst, last } = await readFeedExtent(db.people, store)
  // Retention has come in between. Who asked for the beginning has what is the beginning now.
  if (beforeFirst > after && cursor !== undefined) return { kind: 'too_old', first: String(beforeFirst) }
  const isLate = db.kind === 'citus' && (await hasLeftToCommit(db.people))
  const begin = await readNextBegin(db.people, store, after)
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
  const found = await readChanges(db.people, store, after, limit, db.kind === 'citus')
  const events = found.map(({ number, at, event }) => ({ id: String(number), at, event }))
  return { events, next: events.at(-1)?.id ?? String(after) }
}

/** 18 digits fit a bigint of the database. */
const NUMBER = /^\d{1,18}$/

function parseCursor(cursor: string, last: bigint): bigint | undefined {
  if (cursor === 'latest') return last
  const after = NUMBER.test(cursor) ? BigInt(cursor) : undefined
  return after !== undefined && after <= last ? after : undefined
}
