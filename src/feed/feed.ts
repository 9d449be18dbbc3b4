/**
 * The feed as it is followed: pages, and waiting for the next one. While somebody waits, the database is asked a few times a second, whatever
 * process writes; while nobody does, the feed costs what it takes to write it.
 */
import { type Db, type Reading, statement } from '../db/db.ts'
import { pause } from '../runtime/pause.ts'
import { resolvable } from '../runtime/resolvable.ts'
import { world } from '../runtime/world.ts'
import {
  type ChangeStore,
  numberAll,
  numberChanges,
  readBeginBehind,
  readChanges,
  readExtent,
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

export type Asked =
  | { readonly kind: 'page'; readonly page: FeedPage }
  /** Retention has taken what came next; the feed begins behind `first`. */
  | { readonly kind: 'too_old'; readonly first: string }
  /** No cursor of this feed, which ends with `last`. */
  | { readonly kind: 'unknown'; readonly last: string }
  /** As many wait as may. */
  | { readonly kind: 'busy' }

/** A cursor, `latest` for the end of the feed, or (undefined) its beginning. */
export type After = string | undefined

export interface Feed {
  /** Waits up to `waitMs` for an event when there is none, or until `signal`. */
  ask(after: After, limit: number, waitMs: number, signal?: AbortSignal): Promise<Asked>
  /** Ends every wait: nobody waits any more. */
  close(): void
  /** Whether somebody has asked for events of late, at this process. */
  isFollowed(): boolean
  /** True once it is closed. */
  isClosed(): boolean
}

/** Milliseconds between two looks at the database while somebody waits; as long as the last one took, when that is more. */
const LOOK_MS = 200
/** Milliseconds after a question during which the next one is expected; one that waits for events takes 30 s at most. */
const FOLLOWED_MS = 60_000
/** Who may wait at once, in one process. */
export const MAX_WAITING = 200

interface Waiter {
  readonly after: bigint
  wake(): void
}

export function createFeed(db: Db, store: ChangeStore): Feed {
  const waiters = new Set<Waiter>()
  let watching = false
  let isClosed = false
  let askedAt = Number.NEGATIVE_INFINITY
  const watch = async () => {
    watching = true
    let looked = 0
    while (waiters.size > 0) {
      await pause(Math.max(LOOK_MS, looked))
      const waited = new Set(waiters)
      const begun = world.elapsed()
      const last = await numberChanges(db, store).catch(() => undefined) // next time, or the wait ends
      looked = world.elapsed() - begun
      if (last === undefined) continue
      // It ends before the cursor of one who waited already: the database was taken back, and the next question hears so.
      for (const waiter of waiters)
        if (last > waiter.after || (last < waiter.after && waited.has(waiter))) waiter.wake()
    }
    watching = false
  }
  const wait = async (after: bigint, waitMs: number, signal: AbortSignal | undefined) => {
    const { promise, resolve } = resolvable()
    const waiter = { after, wake: resolve }
    const cancel = world.after(waitMs, resolve)
    signal?.addEventListener('abort', resolve, { once: true })
    waiters.add(waiter)
    if (!watching) void watch()
    await promise
    waiters.delete(waiter)
    cancel()
    signal?.removeEventListener('abort', resolve)
  }
  return {
    async ask(given, limit, waitMs, signal) {
      askedAt = world.elapsed()
      const last = await (given === 'latest' ? numberAll : numberChanges)(db, store)
      const after = given === undefined ? (await readExtent(db.people, store)).beforeFirst : placeOf(given, last)
      if (after === undefined) return { kind: 'unknown', last: String(last) }
      const isEmpty = after === last
      const mayWait = waitMs > 0 && !isClosed && !signal?.aborted
      if (isEmpty && !mayWait) return { kind: 'page', page: { events: [], next: String(after) } }
      if (isEmpty && waiters.size >= MAX_WAITING) return { kind: 'busy' }
      if (isEmpty) await wait(after, waitMs, signal)
      const page = await read(db, store, after, limit)
      const first = page.events[0]?.id
      const isNext = first === undefined ? isEmpty : BigInt(first) === after + 1n
      return isNext ? { kind: 'page', page } : behindGap(db, store, given, after, limit)
    },
    close() {
      isClosed = true
      for (const waiter of waiters) waiter.wake()
    },
    isFollowed: () => world.elapsed() - askedAt < FOLLOWED_MS,
    isClosed: () => isClosed,
  }
}

/**
 * When a page does not begin behind `after`. Nothing that has a number is seen before what stands in front of it: what is missing is lost, which
 * the audit finds, and the feed goes on behind it. On Citus one worker commits after another, and what is missing may be seen in a moment: up to
 * the last number it is lost when no worker has anything left to commit.
 */
async function behindGap(db: Db, store: ChangeStore, given: After, after: bigint, limit: number): Promise<Asked> {
  const { beforeFirst, last } = await readExtent(db.people, store)
  // Retention has come in between. Who asked for the beginning has what is the beginning now.
  if (beforeFirst > after && given !== undefined) return { kind: 'too_old', first: String(beforeFirst) }
  const isLate = db.kind === 'citus' && (await hasLeftToCommit(db.people))
  const begin = await readBeginBehind(db.people, store, after)
  const isLost = begin !== undefined && begin <= last && !isLate
  return { kind: 'page', page: isLost ? await read(db, store, begin, limit) : { events: [], next: String(after) } }
}

const LEFT_TO_COMMIT = statement(
  'feed_left_to_commit',
  `select bool_or(not success or result <> '0') as is_left
   from pg_catalog.run_command_on_workers('select count(*) from pg_catalog.pg_prepared_xacts where database = current_database()')`,
)

async function hasLeftToCommit(db: Reading): Promise<boolean> {
  const [row] = await db.query<{ is_left: boolean }>(LEFT_TO_COMMIT, [])
  return row?.is_left ?? false
}

async function read(db: Db, store: ChangeStore, after: bigint, limit: number): Promise<FeedPage> {
  const found = await readChanges(db.people, store, after, limit, db.kind === 'citus')
  const events = found.map(({ number, at, event }) => ({ id: String(number), at, event }))
  return { events, next: events.at(-1)?.id ?? String(after) }
}

/** 18 digits fit a bigint of the database. */
const NUMBER = /^\d{1,18}$/

function placeOf(given: string, last: bigint): bigint | undefined {
  if (given === 'latest') return last
  const after = NUMBER.test(given) ? BigInt(given) : undefined
  return after !== undefined && after <= last ? after : undefined
}
