/**
 * Results of events settle the bets that they decide, in slices: each is a transaction with its deliveries, which leave while the
 * next slice is at work. One process applies a result, and says every second that it is still at it.
 */
import type { Author } from '../../people/actions.ts'
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

/**
 * Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. Resolves to the number of
 * bets that changed. What a crash leaves undone, `finishResults` does.
 */
export async function setResults(
  deps: ResultDeps,
  author: Author,
  eventId: string,
  outcomes: readonly OutcomeResult[],
): Promise<number> {
  const version = await deps.db.transaction((tx) => saveResults(tx, author, eventId, outcomes, deps.clock.now()))
  return followResults(deps, { eventId, version }, () => false)
}

/** Milliseconds without a sign of life after which results that are not applied are taken for those of a process that died. */
const ABANDONED_MS = 10_000
/** Milliseconds between two signs of life. */
const SIGN_MS = 1_000

/** Takes up one event whose results somebody accepted and did not apply to its end. True if bets changed. */
export async function finishResults(deps: ResultDeps, isStopping: () => boolean): Promise<boolean> {
  const pending = await readPendingResults(deps.db, new Date(deps.clock.now().getTime() - ABANDONED_MS))
  return pending !== undefined && (await followResults(deps, pending, isStopping)) > 0
}

/** Bets that follow already stay as they are. Ends early when newer results have come: whoever brought them goes on. */
async function followResults(deps: ResultDeps, results: PendingResults, isStopping: () => boolean): Promise<number> {
  const { db, clock } = deps
  let changed = 0
  let saidAt = clock.now().getTime()
  let betIds = await readBetsOn(db, results.eventId)
  while (betIds.length > 0 && !isStopping()) {
    const decided = await applyResults(deps, betIds)
    if (decided > 0) deps.decided()
    changed += decided
    const now = clock.now()
    if (now.getTime() - saidAt >= SIGN_MS) {
      if (!(await continueResults(db, results, now))) return changed
      saidAt = now.getTime()
    }
    betIds = await readBetsOn(db, results.eventId, betIds.at(-1))
  }
  if (betIds.length === 0) await resultsApplied(db, results)
  return changed
}
