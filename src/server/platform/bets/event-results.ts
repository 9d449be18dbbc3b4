/**
 * Results of events settle the bets that they decide, in slices. Each slice is one transaction
 * with its deliveries, which are sent while the next slice runs.
 *
 * One process applies a result and writes a heartbeat every second. The request that gave the
 * result is answered with the progress after some seconds; the rest continues without a waiting
 * caller. Bets that failed, or whose process died, are taken over by a process that has watched
 * them for a lease and does not apply them itself (results-recovery.ts, C-12).
 */

import { withTimeout } from '../../../runtime/async/promise-timeout.ts'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { markResultsApplied, type OutcomeResult, type PendingResults, saveEventResults } from '../store/event-store.ts'
import {
  isUnusedCursor,
  newEventCursor,
  type ResultPass,
  type ResultPassDeps,
  runResultPass,
} from './apply-event-result.ts'

export interface ResultsProgress {
  /** That changed so far. */
  readonly bets: number
  /** Every bet on the event follows; else the others do by themselves. */
  readonly isWhole: boolean
}

export interface EventResults {
  /** Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. */
  set(author: Actor, eventId: string, outcomes: readonly OutcomeResult[]): Promise<ResultsProgress>
  /**
   * Ends behind the slices that are at work. What is left, as after a crash,
   * `createResultsRecovery` does.
   */
  stop(): Promise<void>
}

export interface EventResultsDeps extends ResultPassDeps {
  /** What this process is applying, by `formatResultsKey`. */
  readonly applying: Set<string>
}

export const formatResultsKey = ({ eventId, version }: PendingResults): string => `${version}/${eventId}`

/** Milliseconds until the answer to whoever told a result. */
const ANSWER_MS = 5_000

export function createEventResults(deps: EventResultsDeps): EventResults {
  const { db, clock, log } = deps
  const under = new Set<Promise<unknown>>()
  let isStopping = false
  return {
    async set(author, eventId, outcomes) {
      const version = await db.transaction((tx) => saveEventResults(tx, author, eventId, outcomes, clock.now()))
      const [results, progress] = [{ eventId, version }, { bets: 0 }]
      const isLate = { now: false }
      const work = applyTracked(deps, {
        results,
        cursor: newEventCursor(results),
        progress,
        isStopping: () => isStopping,
      })
        .then((isWhole): ResultsProgress => ({ bets: progress.bets, isWhole }))
        .finally(() => under.delete(work))
      work.catch((error: unknown) => {
        if (isLate.now) log.error({ err: error, eventId }, 'a result was applied only in part; it will be continued')
      })
      under.add(work)
      return withTimeout(work, ANSWER_MS, () => {
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

/** Resolves to true when every bet follows. While it runs, `applying` has the results. */
export async function applyTracked(deps: EventResultsDeps, pass: ResultPass): Promise<boolean> {
  const key = formatResultsKey(pass.results)
  deps.applying.add(key)
  try {
    return await applyToEnd(deps, pass)
  } finally {
    deps.applying.delete(key)
  }
}

/**
 * An event is done when one turn has looked at all of its bets: what this process knows from turns before may be wrong after a failover that lost
 * commits.
 */
async function applyToEnd(deps: ResultPassDeps, pass: ResultPass): Promise<boolean> {
  const isSinglePass = isUnusedCursor(pass.cursor)
  const isAtEnd = await runResultPass(deps, pass)
  const isWhole =
    isAtEnd && (isSinglePass || (await runResultPass(deps, { ...pass, cursor: newEventCursor(pass.results) })))
  if (isWhole) await markResultsApplied(deps.db, pass.results)
  return isWhole
}
