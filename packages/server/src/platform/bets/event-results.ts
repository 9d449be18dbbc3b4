/**
 * Settlement by results of events, in slices. Each slice is one transaction, which also records the
 * deliveries to partners. They are sent while the next slice runs.
 *
 * One process applies a result and writes a heartbeat every second. The request with the result is
 * answered after some seconds with the progress; the work continues without a caller. If bets
 * failed or the process died, another process takes over after watching the results for a lease
 * (C-12, results-recovery.ts).
 */

import { withTimeout } from '@purser/runtime/async/timeouts'
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
  /** Number of changed bets so far. */
  readonly bets: number
  /** True if every bet follows; otherwise the rest follows automatically. */
  readonly isWhole: boolean
}

export interface EventResults {
  /**
   * Replaces the event's results and applies them to its bets. No outcomes means that the result is
   * withdrawn.
   */
  set(author: Actor, eventId: string, outcomes: readonly OutcomeResult[]): Promise<ResultsProgress>
  /** Waits for the slices in progress. `createResultsRecovery` does the rest, as after a crash. */
  stop(): Promise<void>
}

export interface EventResultsDeps extends ResultPassDeps {
  /** Keys from `formatResultsKey` of the results that this process applies. */
  readonly applying: Set<string>
}

export const formatResultsKey = ({ eventId, version }: PendingResults): string => `${version}/${eventId}`

/** Milliseconds until the caller gets an answer. */
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

/** Returns true if every bet follows. */
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
 * An event is done only after a single pass over all its bets. Progress from earlier passes may be
 * wrong after a failover that lost commits.
 */
async function applyToEnd(deps: ResultPassDeps, pass: ResultPass): Promise<boolean> {
  const isSinglePass = isUnusedCursor(pass.cursor)
  const isAtEnd = await runResultPass(deps, pass)
  const isWhole =
    isAtEnd && (isSinglePass || (await runResultPass(deps, { ...pass, cursor: newEventCursor(pass.results) })))
  if (isWhole) await markResultsApplied(deps.db, pass.results)
  return isWhole
}
