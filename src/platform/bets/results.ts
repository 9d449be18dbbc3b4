/**
 * Results of events settle the bets that they decide, in slices: each is a transaction with its deliveries, which leave while the
 * next slice is at work. One process applies a result, and says every second that it is still at it. Whoever told the result hears
 * after some seconds at the latest how far it has come; the rest goes on without anybody waiting. What could not follow, or was left by a process
 * that died, is taken up again: by a process that does not apply it itself and has watched it for long enough (createFinishing, C-12).
 */
import { isBusy, isOfData } from '../../db/errors.ts'
import type { Author } from '../../people/actions.ts'
import { inTime } from '../../runtime/in-time.ts'
import { createLru } from '../../runtime/lru.ts'
import { watchUnchanged } from '../watch.ts'
import {
  type OutcomeResult,
  type PendingResults,
  readPendingResults,
  resultsApplied,
  type SeenResults,
  saveResults,
  takeUpResults,
} from './event.ts'
import { type FollowDeps, follow, isNew, newPlace, type Place, type Turn } from './follow.ts'

export interface Applied {
  /** That changed so far. */
  readonly bets: number
  /** Every bet on the event follows; else the others do by themselves. */
  readonly isWhole: boolean
}

export interface Results {
  /** Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. */
  set(author: Author, eventId: string, outcomes: readonly OutcomeResult[]): Promise<Applied>
  /** Ends behind the slices that are at work. What is left, as after a crash, `createFinishing` does. */
  stop(): Promise<void>
}

export interface ResultsDeps extends FollowDeps {
  /** What this process is applying, by `keyOf`. */
  readonly applying: Set<string>
}

const keyOf = ({ eventId, version }: PendingResults): string => `${version}/${eventId}`

/** Milliseconds until the answer to whoever told a result. */
const ANSWER_MS = 5_000

export function createResults(deps: ResultsDeps): Results {
  const { db, clock, log } = deps
  const under = new Set<Promise<unknown>>()
  let isStopping = false
  return {
    async set(author, eventId, outcomes) {
      const version = await db.transaction((tx) => saveResults(tx, author, eventId, outcomes, clock.now()))
      const [results, progress] = [{ eventId, version }, { bets: 0 }]
      const isLate = { now: false }
      const work = applyHere(deps, { results, place: newPlace(results), progress, isStopping: () => isStopping })
        .then((isWhole): Applied => ({ bets: progress.bets, isWhole }))
        .finally(() => under.delete(work))
      work.catch((error: unknown) => {
        if (isLate.now)
          log.error({ err: error, eventId }, 'a result could not be applied to its end; it is taken up again')
      })
      under.add(work)
      return inTime(work, ANSWER_MS, () => {
        isLate.now = true
        return { bets: progress.bets, isWhole: false }
      })
    },
    async stop() {
      isStopping = true
      await Promise.allSettled(under)
    },
  }
}

/** Milliseconds without a sign of life after which results that are not applied are taken for those of a process that died. */
const ABANDONED_MS = 10_000
/** Events that are finished side by side: what is small does not wait for a final with a million bets. */
const MOST_AT_ONCE = 4
/** Events of which it is known how far this process has come. */
const MOST_PLACES = 1_000

export interface FinishingDeps extends ResultsDeps {
  /** `elapsed`: milliseconds of a clock that nobody sets. */
  readonly timers: { elapsed(): number }
}

export interface Finishing {
  /** Begins with what is abandoned, and ends when it has: beside the deliveries, no partner's wait for it. Never rejects. */
  look(): Promise<void>
  /** Ends behind the slices that are at work. */
  stop(): Promise<void>
}

/** Takes up events whose results somebody accepted and did not apply to their end. */
export function createFinishing(deps: FinishingDeps): Finishing {
  const { log } = deps
  const places = createLru<Place>(MOST_PLACES)
  const placeOf = (results: PendingResults) => {
    const kept = places.get(results.eventId)
    return kept?.version === results.version ? kept : newPlace(results)
  }
  const watch = watchUnchanged(
    ({ signOfLife, ...results }: SeenResults) => `${keyOf(results)}/${signOfLife}`,
    ABANDONED_MS,
  )
  const works = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let isStopping = false
  const unfinished = (err: unknown) =>
    log.error({ err }, 'a result that another process had begun could not be finished')

  const finish = async (results: PendingResults) => {
    const place = placeOf(results)
    places.set(results.eventId, place)
    const turn = { results, place, progress: { bets: 0 }, isStopping: () => isStopping }
    if (await applyHere(deps, turn)) places.delete(results.eventId)
  }
  const begin = (results: PendingResults) => {
    const work = finish(results)
      .catch(unfinished)
      .finally(() => works.delete(work))
    works.add(work)
  }
  const look = async () => {
    for (const results of await readAbandoned(deps, watch)) {
      if (isStopping || works.size >= MOST_AT_ONCE) return
      if (await takeUp(deps, results)) begin(results)
    }
  }
  return {
    look() {
      looking ??= look()
        .catch(unfinished)
        .finally(() => {
          looking = undefined
        })
      return looking
    },
    async stop() {
      isStopping = true
      await looking
      await Promise.all(works)
    },
  }
}

/** What this process is applying itself is not watched, however long it is silent. */
async function readAbandoned(
  { db, timers, applying }: FinishingDeps,
  watch: ReturnType<typeof watchUnchanged<SeenResults>>,
): Promise<SeenResults[]> {
  const begun = timers.elapsed()
  const pending = await readPendingResults(db)
  const ofOthers = pending.filter((results) => !applying.has(keyOf(results)))
  return watch(ofOthers, { begun, ended: timers.elapsed() })
}

/** An event that cannot be written itself keeps no other one waiting. */
async function takeUp({ db, clock, log }: FinishingDeps, results: SeenResults): Promise<boolean> {
  try {
    return await takeUpResults(db, results, clock.now())
  } catch (error) {
    if (!isOfData(error) && !isBusy(error)) throw error
    log.error({ err: error, eventId: results.eventId }, 'the results of an event cannot be taken up')
    return false
  }
}

async function applyHere(deps: ResultsDeps, turn: Turn): Promise<boolean> {
  const key = keyOf(turn.results)
  deps.applying.add(key)
  try {
    return await followToEnd(deps, turn)
  } finally {
    deps.applying.delete(key)
  }
}

/**
 * An event is done when one turn has looked at all of its bets: what this process knows from turns before may be wrong after a failover that lost
 * commits.
 */
async function followToEnd(deps: FollowDeps, turn: Turn): Promise<boolean> {
  const isOneTurn = isNew(turn.place)
  const isAtEnd = await follow(deps, turn)
  const isWhole = isAtEnd && (isOneTurn || (await follow(deps, { ...turn, place: newPlace(turn.results) })))
  if (isWhole) await resultsApplied(deps.db, turn.results)
  return isWhole
}
