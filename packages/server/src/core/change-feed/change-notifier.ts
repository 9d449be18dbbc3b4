/**
 * Notifier of changes for open pages of the console: it sends ids and no content. A page reads the
 * content from the API, which checks the rights. One query at a time serves all subscribers of this
 * process; without a subscriber no query runs.
 *
 * Invariant: a subscriber receives each change since it subscribed, or since the position that it
 * names. If the changes cannot be listed, it receives the notification that anything may have
 * changed (`isAll`).
 */

import { sleep } from '@purser/runtime/async/sleep'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { type Db, type Row, type Statement, statement } from '../database/db.ts'
import type { Feed, FeedEvent } from './change-feed.ts'
import type { StoredEvent } from './change-store.ts'

export interface EventSubject {
  readonly bet?: string
  readonly player?: string
}

/** The changes in one notification. It is empty if there is no topic and `isAll` is false. */
export interface ChangeNotification {
  /** The first parts of the event names, and `call` for new calls. */
  readonly topics: ReadonlySet<string>
  readonly bets: ReadonlySet<string>
  readonly players: ReadonlySet<string>
  /** The changes are too many to name, or unknown: anything may have changed. */
  readonly isAll: boolean
}

export interface Subscriber {
  /** The last number in the feed that the notifications cover. */
  position(): string
  /**
   * Returns the changes since the last call, after at most `waitMs`. Undefined: the subscription
   * has ended, so subscribe again.
   */
  next(waitMs: number): Promise<ChangeNotification | undefined>
  /** Can be called repeatedly. */
  leave(): void
}

export interface ChangeNotifier {
  /**
   * Subscribes to the changes after `after`, the position of an earlier subscription; without it,
   * to changes from now on. Undefined: there are too many subscribers, in all or of this `caller`.
   */
  subscribe(after: string | undefined, caller: string): Promise<Subscriber | undefined>
  close(): void
}

export interface ChangeNotifierDeps {
  readonly db: Pick<Db, 'userQueries'>
  readonly feed: Feed
  readonly clock: Clock
  /** The wallet's schema also has a journal of calls. */
  readonly schema: 'purser' | 'platform'
  subjectOf(event: StoredEvent): EventSubject
}

/**
 * Milliseconds between two queries while a page is subscribed; more if the last query took longer.
 */
const POLL_MS = 500
/** More events at once are notified as `isAll`. */
const MAX_NAMED_EVENTS = 200
/** Limits of the subscribers of a process, in all and per caller. */
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
  /** The position after the last query. An old one only causes more notifications than needed. */
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
  /** If changes cannot be read, all subscriptions end, and the pages subscribe again. */
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
      subscribers.add(subscriber) // before the query, so that a change meanwhile is notified twice rather than not at all
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

/** Bounded, so that a slow subscriber uses little memory. */
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

/** Milliseconds for which journal chunks are searched, because a process may write them late. */
const RECENT_MS = 10_000
const COUNTED_MS = 120_000

/**
 * Detects new calls since the previous check. The wallet's journal shows them at once, if it is on.
 * The call statistics of wallet and platform show them a moment later.
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
      sql === undefined ? [] : db.userQueries.query<Row & { mark: string }>(sql, [new Date(now - recentMs)])
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

/** The table has a row per source and minute; a higher count is a new mark. */
function defineRecentCounts(schema: ChangeNotifierDeps['schema']): Statement {
  return statement(
    `${schema}_recent_counts`,
    `select name || ' ' || minute || ' ' || (accepted + refused + failed) as mark from ${schema}.call_stats where minute > $1::timestamptz`,
  )
}
