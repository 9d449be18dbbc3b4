/**
 * What has changed, for whoever looks at a screen: ids, and never what became of them. Who wants to know that asks the API, so that rights live
 * in one place. One look at the database a moment serves all who watch in this process; while nobody watches there is none.
 *
 * Invariant: who watches is told of every change since it began, or since the place that it names, or that it has to ask for everything again. Of
 * many changes at once the ids are not all told, and it is told so.
 */
import { type Db, type Row, type Statement, statement } from '../db/db.ts'
import type { Clock } from '../runtime/clock.ts'
import { pause } from '../runtime/pause.ts'
import { world } from '../runtime/world.ts'
import type { StoredEvent } from './change-store.ts'
import type { Feed, FeedEvent } from './feed.ts'

/** What an event is about. */
export interface Subject {
  readonly bet?: string
  readonly player?: string
}

/** Empty and not `all`: nothing. */
export interface Told {
  /** The first words of the names of the events, and `call`: there are calls that were not there before. */
  readonly topics: ReadonlySet<string>
  readonly bets: ReadonlySet<string>
  readonly players: ReadonlySet<string>
  /** Too many to name them, or nobody knows any more: anything may have changed. */
  readonly isAll: boolean
}

export interface Watcher {
  /** The place in the feed behind what was told. */
  place(): string
  /** What is new since the last question; waits up to so long for something. Undefined: watch anew. */
  next(waitMs: number): Promise<Told | undefined>
  /** Gives up the place; more than once is as good as once. */
  leave(): void
}

export interface Live {
  /** From `after` on, the place that another watcher came to. `who`: so many of one caller at most. Undefined: as many watch as may. */
  watch(after: string | undefined, who: string): Promise<Watcher | undefined>
  /** Ends every watching. */
  close(): void
}

export interface LiveDeps {
  readonly db: Pick<Db, 'people'>
  readonly feed: Feed
  readonly clock: Clock
  /** Whose calls: the wallet's are in its journal too. */
  readonly schema: 'purser' | 'platform'
  subjectOf(event: StoredEvent): Subject
}

/** Milliseconds between two looks while somebody watches; as long as the last one took, when that is more. */
const LOOK_MS = 500
/** Events of which the ids are told; more at once are told as `isAll`. */
const MOST_EVENTS = 200
/** Who may watch at once, in one process, and how often one caller. */
export const MAX_WATCHING = 200
export const MAX_OF_ONE = 50

interface Kept extends Watcher {
  readonly who: string
  tell(told: Told, place: string): void
  end(): void
}

export function createLive({ db, feed, clock, schema, subjectOf }: LiveDeps): Live {
  const watchers = new Set<Kept>()
  const stopping = new AbortController()
  const callsSince = createCallLook(db, clock, schema)
  /** Behind what the last look has told: an old one only tells more. */
  let place: string | undefined
  let first: Promise<void> | undefined

  const look = async () => {
    const [told, next] = await since(place ?? 'latest')
    const hasCalls = await callsSince()
    place = next
    const all = hasCalls ? join(told, CALLS) : told
    for (const watcher of watchers) watcher.tell(all, next)
  }
  const since = async (after: string): Promise<[Told, string]> => {
    const asked = await feed.ask(after, MOST_EVENTS, 0)
    if (asked.kind === 'page' && asked.page.events.length < MOST_EVENTS)
      return [tellOf(asked.page.events, subjectOf), asked.page.next]
    const latest = await feed.ask('latest', 0, 0)
    return [ALL, latest.kind === 'page' ? latest.page.next : after]
  }
  /** Nobody is told that all is well by a process that cannot look: its watchers end, and come again. */
  const endAll = () => {
    for (const watcher of [...watchers]) watcher.end()
  }
  const lookOn = async () => {
    let looked = 0
    while (watchers.size > 0 && !stopping.signal.aborted) {
      await pause(Math.max(LOOK_MS, looked), stopping.signal)
      const begun = world.elapsed()
      if (watchers.size > 0) await look().catch(endAll)
      looked = world.elapsed() - begun
    }
    first = undefined
  }
  const begin = () => {
    first ??= look().then(
      () => void lookOn(),
      (error: unknown) => {
        first = undefined
        throw error
      },
    )
    return first
  }
  const isFull = (who: string) =>
    watchers.size >= MAX_WATCHING || [...watchers].filter((one) => one.who === who).length >= MAX_OF_ONE
  return {
    async watch(after, who) {
      if (isFull(who) || stopping.signal.aborted) return undefined
      const watcher = createWatcher(who, (gone) => watchers.delete(gone))
      watchers.add(watcher) // before it asks: what comes meanwhile is told twice, and never not at all
      try {
        await begin()
        const [missed, here] = after === undefined ? [NOTHING, place ?? ''] : await since(after)
        watcher.tell(after === undefined ? NOTHING : join(missed, CALLS), here)
        return watcher
      } catch (error) {
        watcher.leave()
        throw error
      }
    },
    close() {
      stopping.abort()
      endAll()
    },
  }
}

function createWatcher(who: string, leave: (gone: Kept) => void): Kept {
  let told = NOTHING
  let place = ''
  let isOver = false
  let wake = () => {}
  const watcher: Kept = {
    who,
    place: () => place,
    tell(more, next) {
      told = join(told, more)
      place = next
      if (!isNothing(told)) wake()
    },
    end() {
      isOver = true
      wake()
      leave(watcher)
    },
    async next(waitMs) {
      if (isNothing(told) && !isOver) {
        await new Promise<void>((resolve) => {
          const cancel = world.after(waitMs, resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
      const now = told
      told = NOTHING
      return isOver ? undefined : now
    },
    leave: () => watcher.end(),
  }
  return watcher
}

const NONE: ReadonlySet<string> = new Set()
const NOTHING: Told = { topics: NONE, bets: NONE, players: NONE, isAll: false }
const ALL: Told = { ...NOTHING, isAll: true }
const CALLS: Told = { ...NOTHING, topics: new Set(['call']) }

export function isNothing({ topics, isAll }: Told): boolean {
  return topics.size === 0 && !isAll
}

/** A reader that is slow holds no more than the ids of as many events as one look has. */
function join(a: Told, b: Told): Told {
  if (isNothing(a)) return b
  if (isNothing(b)) return a
  const [bets, players] = [new Set([...a.bets, ...b.bets]), new Set([...a.players, ...b.players])]
  if (a.isAll || b.isAll || bets.size > MOST_EVENTS || players.size > MOST_EVENTS) return ALL
  return { topics: new Set([...a.topics, ...b.topics]), bets, players, isAll: false }
}

function tellOf(events: readonly FeedEvent[], subjectOf: LiveDeps['subjectOf']): Told {
  const subjects = events.map(({ event }) => subjectOf(event))
  const named = (name: keyof Subject) => new Set(subjects.flatMap((one) => one[name] ?? []))
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
function createCallLook(db: LiveDeps['db'], clock: Clock, schema: LiveDeps['schema']): () => Promise<boolean> {
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

const JOURNAL: Readonly<Record<LiveDeps['schema'], Statement | undefined>> = {
  purser: statement(
    'purser_recent_chunks',
    `select chunk::text as mark from purser.journal where at > $1::timestamptz order by at desc limit 200`,
  ),
  platform: undefined,
}
const COUNTED = { purser: countedIn('purser'), platform: countedIn('platform') }

/** A count that goes on is another mark; there is a row for each other side and minute. */
function countedIn(schema: LiveDeps['schema']): Statement {
  return statement(
    `${schema}_recent_counts`,
    `select name || ' ' || minute || ' ' || (accepted + refused + failed) as mark from ${schema}.minute where minute > $1::timestamptz`,
  )
}
