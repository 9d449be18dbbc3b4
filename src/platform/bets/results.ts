/**
 * Results of events settle the bets that they decide, in slices: each is a transaction with its deliveries, which leave while the
 * next slice is at work. One process applies a result, and says every second that it is still at it. Whoever told the result hears
 * after some seconds at the latest how far it has come; the rest goes on without anybody waiting.
 */
import type { Author } from '../../people/actions.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { Logger } from '../../runtime/logger.ts'
import { applyResults, type FlowDeps } from './bet-flow.ts'
import {
  continueResults,
  type OutcomeResult,
  type PendingResults,
  readBetsOn,
  readPendingResults,
  resultsApplied,
  saveResults,
} from './event.ts'

export interface ResultDeps extends FlowDeps {
  /** Told when a slice of bets has something to deliver. */
  decided(): void
}

export interface Applied {
  /** That changed so far. */
  readonly bets: number
  /** Every bet on the event follows; else the others do by themselves. */
  readonly isWhole: boolean
}

export interface Results {
  /** Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. */
  set(author: Author, eventId: string, outcomes: readonly OutcomeResult[]): Promise<Applied>
  /** Ends behind the slices that are at work. What is left, as after a crash, `finishResults` does. */
  stop(): Promise<void>
}

/** Milliseconds until the answer to whoever told a result. */
const ANSWER_MS = 5_000

export function createResults(deps: ResultDeps & { readonly log: Logger }): Results {
  const { db, clock, log } = deps
  const under = new Set<Promise<unknown>>()
  let isStopping = false
  return {
    async set(author, eventId, outcomes) {
      const version = await db.transaction((tx) => saveResults(tx, author, eventId, outcomes, clock.now()))
      const progress: Progress = { bets: 0 }
      const isLate = { now: false }
      const work = followResults(deps, { eventId, version }, () => isStopping, progress)
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
/** Milliseconds between two signs of life. */
const SIGN_MS = 1_000

/** Takes up one event whose results somebody accepted and did not apply to its end. True if bets changed. */
export async function finishResults(deps: ResultDeps, isStopping: () => boolean): Promise<boolean> {
  const pending = await readPendingResults(deps.db, new Date(deps.clock.now().getTime() - ABANDONED_MS))
  const progress: Progress = { bets: 0 }
  if (pending !== undefined) await followResults(deps, pending, isStopping, progress)
  return progress.bets > 0
}

/** Bets that have changed. */
interface Progress {
  bets: number
}

/**
 * Bets that follow already stay as they are. Ends early when newer results have come: whoever brought them goes on. Resolves to whether all
 * follow.
 */
async function followResults(
  deps: ResultDeps,
  results: PendingResults,
  isStopping: () => boolean,
  progress: Progress,
): Promise<boolean> {
  const { db, clock } = deps
  let saidAt = clock.now().getTime()
  let betIds = await readBetsOn(db, results.eventId)
  while (betIds.length > 0 && !isStopping()) {
    const decided = await applyResults(deps, betIds)
    if (decided > 0) deps.decided()
    progress.bets += decided
    const now = clock.now()
    if (now.getTime() - saidAt >= SIGN_MS) {
      if (!(await continueResults(db, results, now))) return false
      saidAt = now.getTime()
    }
    betIds = await readBetsOn(db, results.eventId, betIds.at(-1))
  }
  if (betIds.length > 0) return false
  await resultsApplied(db, results)
  return true
}
