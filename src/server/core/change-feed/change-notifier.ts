/**
 * Notifier of changes for pages that are open: it sends ids and no content. A page reads the
 * content from the API, so that the rights are checked in one place. One query at a time serves
 * all subscribers of this process; without a subscriber no query runs.
 *
 * Invariant: a subscriber receives every change since its start or since the position that it
 * names, or else the request to read everything again. When many rows change at once, the
 * notification says that its ids are not complete.
 */

import { sleep } from '../../../runtime/async/sleep.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { environment } from '../../../runtime/environment.ts'
import { type Db, type Row, type Statement, statement } from '../database/db.ts'
import type { Feed, FeedEvent } from './change-feed.ts'
import type { StoredEvent } from './change-store.ts'

/** What an event is about. */
export interface EventSubject {
  readonly bet?: string
  readonly player?: string
}

/** Empty and not `all`: nothing. */
export interface ChangeNotification {
  /** The first words of the names of the events, and `call`: there are calls that were not there before. */
  readonly topics: ReadonlySet<string>
  readonly bets: ReadonlySet<string>
  readonly players: ReadonlySet<string>
  /** Too many to name them, or nobody knows any more: anything may have changed. */
  readonly isAll: boolean
}

export interface Subscriber {
  /** The place in the feed behind what was told. */
  position(): string
  /** What is new since the last question; waits up to so long for something. Undefined: watch anew. */
  next(waitMs: number): Promise<ChangeNotification | undefined>
  /** Gives up the place; more than once is as good as once. */
  leave(): void
}

export interface ChangeNotifier {
  /**
   * From `after` on, the place that another watcher came to. `caller`: so many of one caller at
   * most. Undefined: as many watch as may.
   */
  subscribe(after: string | undefined, caller: string): Promise<Subscriber | undefined>
  /** Ends every watching. */
  close(): void
}

export interface ChangeNotifierDeps {
  readonly db: Pick<Db, 'people'>
  readonly feed: Feed
  readonly clock: Clock
  /** Whose calls: the wallet's are in its journal too. */
  readonly schema: 'purser' | 'platform'
  subjectOf(event: StoredEvent): EventSubject
}

/** Milliseconds between two looks while somebody watches; as long as the last one took, when that is more. */
const POLL_MS = 500
/** Events of which the ids are told; more at once are told as `isAll`. */
const MAX_NAMED_EVENTS = 200
/** Who may watch at once, in one process, and how often one caller. */
export const MAX_SUBSCRIBERS = 200
export const MAX_SUBSCRIBERS_PER_CALLER = 50

interface RegisteredSubscriber extends Subscriber {
  readonly caller: string
  notify(notification: ChangeNotification, position: string): void
  end(): void
}

export function createChangeNotifier({ db, feed, clock, schema, subjectOf }: ChangeNotifierDeps): ChangeNotifier {
  const subscribers = new Set<RegisteredSubscriber>()
  const stopping = new AbortController()
  const callsSince = createCallDetector(db, clock, schema)
  /** Behind what the last look has told: an old one only tells more. */
  let position: string | undefined
  let first: Promise<void> | undefined

  const poll = async () => {
    const [notification, next] = await since(position ?? 'latest')
    const hasCalls = await callsSince()
    position = next
    const all = hasCalls ? mergeNotifications(notification, CALLS) : notification
    for (const subscriber of subscribers) subscriber.notify(all, next)
  }
  const since = async (after: string): Promise<[ChangeNotification, string]> => {
    const answer = await feed.poll(after, MAX_NAMED_EVENTS, 0)
    if (answer.kind === 'page' && answer.page.events.length < MAX_NAMED_EVENTS)
      return [toNotification(answer.page.events, subjectOf), answer.page.next]
    const latest = await feed.poll('latest', 0, 0)
    return [ALL, latest.kind === 'page' ? latest.page.next : after]
  }
  /** Nobody is told that all is well by a process that cannot look: its watchers end, and come again. */
  const endAll = () => {
    for (const subscriber of [...subscribers]) subscriber.end()
  }
  const pollWhileSubscribed = async () => {
    let pollMs = 0
    while (subscribers.size > 0 && !stopping.signal.aborted) {
      await sleep(Math.max(POLL_MS, pollMs), stopping.signal)
      const begun = environment.monotonicNow()
      if (subscribers.size > 0) await poll().catch(endAll)
      pollMs = environment.monotonicNow() - begun
    }
    first = undefined
  }
  const begin = () => {
    first ??= poll().then(
      () => void pollWhileSubscribed(),
      (error: unknown) => {
        first = undefined
        throw error
      },
    )
    return first
  }
  const isFull = (caller: string) =>
    subscribers.size >= MAX_SUBSCRIBERS ||
    [...subscribers].filter((one) => one.caller === caller).length >= MAX_SUBSCRIBERS_PER_CALLER
  return {
    async subscribe(after, caller) {
      if (isFull(caller) || stopping.signal.aborted) return undefined
      const subscriber = createSubscriber(caller, (gone) => subscribers.delete(gone))
      subscribers.add(subscriber) // before it asks: what comes meanwhile is told twice, and never not at all
      try {
        await begin()
        const [missed, here] = after === undefined ? [NOTHING, position ?? ''] : await since(after)
        subscriber.notify(after === undefined ? NOTHING : mergeNotifications(missed, CALLS), here)
        return subscriber
      } catch (error) {
        subscriber.leave()
        throw error
      }
    },
    close() {
      stopping.abort()
      endAll()
    },
  }
}

function createSubscriber(caller: string, leave: (gone: RegisteredSubscriber) => void): RegisteredSubscriber {
  let notification = NOTHING
  let position = ''
  let isOver = false
  let wake = () => {}
  const subscriber: RegisteredSubscriber = {
    caller,
    position: () => position,
    notify(more, next) {
      notification = mergeNotifications(notification, more)
      position = next
      if (!isEmptyNotification(notification)) wake()
    },
    end() {
      isOver = true
      wake()
      leave(subscriber)
    },
    async next(waitMs) {
      if (isEmptyNotification(notification) && !isOver) {
        await new Promise<void>((resolve) => {
          const cancel = environment.setTimer(waitMs, resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
      const now = notification
      notification = NOTHING
      return isOver ? undefined : now
    },
    leave: () => subscriber.end(),
  }
  return subscriber
}

const NONE: ReadonlySet<string> = new Set()
const NOTHING: ChangeNotification = { topics: NONE, bets: NONE, players: NONE, isAll: false }
const ALL: ChangeNotification = { ...NOTHING, isAll: true }
const CALLS: ChangeNotification = { ...NOTHING, topics: new Set(['call']) }

export function isEmptyNotification({ topics, isAll }: ChangeNotification): boolean {
  return topics.size === 0 && !isAll
}

/** A reader that is slow holds no more than the ids of as many events as one look has. */
function mergeNotifications(a: ChangeNotification, b: ChangeNotification): ChangeNotification {
  if (isEmptyNotification(a)) return b
  if (isEmptyNotification(b)) return a
  const [bets, players] = [new Set([...a.bets, ...b.bets]), new Set([...a.players, ...b.players])]
  if (a.isAll || b.isAll || bets.size > MAX_NAMED_EVENTS || players.size > MAX_NAMED_EVENTS) return ALL
  return { topics: new Set([...a.topics, ...b.topics]), bets, players, isAll: false }
}

function toNotification(events: readonly FeedEvent[], subjectOf: ChangeNotifierDeps['subjectOf']): ChangeNotification {
  const subjects = events.map(({ event }) => subjectOf(event))
  const named = (name: keyof EventSubject) => new Set(subjects.flatMap((one) => one[name] ?? []))
  const topics = new Set(events.map(({ event: [name] }) => name.split('.', 1)[0] ?? name))
  return { topics, bets: named('bet'), players: named('player'), isAll: false }
}

/** Milliseconds for which a chunk of the journal is looked for: a process may be late in writing it. */
const RECENT_MS = 10_000
const COUNTED_MS = 120_000

/**
 * Whether there are calls that the look before had not. Of a wallet when its journal has them, which is what is asked for then; of both when they are
 * counted, which comes a moment later.
 */
function createCallDetector(
  db: ChangeNotifierDeps['db'],
  clock: Clock,
  schema: ChangeNotifierDeps['schema'],
): () => Promise<boolean> {
  let before: ReadonlySet<string> | undefined
  return async () => {
    const now = clock.now().getTime()
    const read = async (sql: Statement | undefined, recentMs: number) =>
      sql === undefined ? [] : db.people.query<Row & { mark: string }>(sql, [new Date(now - recentMs)])
    const found = await Promise.all([read(JOURNAL[schema], RECENT_MS), read(COUNTED[schema], COUNTED_MS)])
    const marks = new Set(found.flat().map(({ mark }) => mark))
    const known = before
    before = marks
    return known !== undefined && [...marks].some((mark) => !known.has(mark))
  }
}

const JOURNAL: Readonly<Record<ChangeNotifierDeps['schema'], Statement | undefined>> = {
  purser: statement(
    'purser_recent_chunks',
    `select chunk::text as mark from purser.journal where at > $1::timestamptz order by at desc limit 200`,
  ),
  platform: undefined,
}
const COUNTED = { purser: defineRecentCounts('purser'), platform: defineRecentCounts('platform') }

/** A count that goes on is another mark; there is a row for each other side and minute. */
function defineRecentCounts(schema: ChangeNotifierDeps['schema']): Statement {
  return statement(
    `${schema}_recent_counts`,
    `select name || ' ' || minute || ' ' || (accepted + refused + failed) as mark from ${schema}.call_stats where minute > $1::timestamptz`,
  )
}
