/**
 * Results of events settle the bets that they decide, in slices: each is a transaction with its deliveries, which leave while the
 * next slice is at work. One process applies a result, and says every second that it is still at it. Whoever told the result hears
 * after some seconds at the latest how far it has come; the rest goes on without anybody waiting. What could not follow, or was left by a process
 * that died, is taken up again (createFinishing).
 */
import { isBusy, isOfData } from '../../db/errors.ts'
import type { Author } from '../../people/actions.ts'
import { inTime } from '../../runtime/in-time.ts'
import {
  type OutcomeResult,
  type PendingResults,
  readPendingResults,
  resultsApplied,
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

/** Milliseconds until the answer to whoever told a result. */
const ANSWER_MS = 5_000

export function createResults(deps: FollowDeps): Results {
  const { db, clock, log } = deps
  const under = new Set<Promise<unknown>>()
  let isStopping = false
  return {
    async set(author, eventId, outcomes) {
      const version = await db.transaction((tx) => saveResults(tx, author, eventId, outcomes, clock.now()))
      const [results, progress] = [{ eventId, version }, { bets: 0 }]
      const isLate = { now: false }
      const work = followToEnd(deps, { results, place: newPlace(results), progress, isStopping: () => isStopping })
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
/** Events of which it is known how far this process has come. */
const MOST_PLACES = 1_000

/** Takes up, one at a time, events whose results somebody accepted and did not apply to their end. */
export function createFinishing(deps: FollowDeps): (isStopping: () => boolean) => Promise<void> {
  const places = new Map<string, Place>()
  const placeOf = (results: PendingResults): Place => {
    const kept = places.get(results.eventId)
    const place = kept?.version === results.version ? kept : newPlace(results)
    places.delete(results.eventId)
    places.set(results.eventId, place)
    for (const [oldest] of places) if (places.size > MOST_PLACES) places.delete(oldest)
    return place
  }
  return async (isStopping) => {
    const results = await takeUp(deps)
    if (results === undefined) return
    const isWhole = await followToEnd(deps, { results, place: placeOf(results), progress: { bets: 0 }, isStopping })
    if (isWhole) places.delete(results.eventId)
  }
}

/** An event that cannot be written itself keeps no other one waiting. */
async function takeUp({ db, clock, log }: FollowDeps): Promise<PendingResults | undefined> {
  const now = clock.now()
  const before = new Date(now.getTime() - ABANDONED_MS)
  for (const results of await readPendingResults(db, before)) {
    try {
      if (await takeUpResults(db, results, before, now)) return results
    } catch (error) {
      if (!isOfData(error) && !isBusy(error)) throw error
      log.error({ err: error, eventId: results.eventId }, 'the results of an event cannot be taken up')
    }
  }
  return undefined
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
