/** Results of events settle the bets that they decide. */
import type { Author } from '../people/actions.ts'
import { applyResults, type FlowDeps } from './bet-flow.ts'
import { type OutcomeResult, readBetsOn, readPendingResults, resultsApplied, saveResults } from './event.ts'

/**
 * Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. Resolves to the number of
 * bets that changed. What a crash leaves undone, `finishResults` does.
 */
export async function setResults(
  deps: FlowDeps,
  author: Author,
  eventId: string,
  outcomes: readonly OutcomeResult[],
): Promise<number> {
  const version = await deps.db.transaction((tx) => saveResults(tx, author, eventId, outcomes, deps.clock.now()))
  return followResults(deps, eventId, version)
}

/** Milliseconds after which results that are not applied are taken for those of a process that died. */
const ABANDONED_MS = 10_000

/** Takes up one event whose results somebody accepted and did not apply to its end. True if bets changed. */
export async function finishResults(deps: FlowDeps): Promise<boolean> {
  const pending = await readPendingResults(deps.db, new Date(deps.clock.now().getTime() - ABANDONED_MS))
  return pending !== undefined && (await followResults(deps, pending.eventId, pending.version)) > 0
}

/** In slices, each with its deliveries in one transaction; bets that follow already stay as they are. */
async function followResults(deps: FlowDeps, eventId: string, version: bigint): Promise<number> {
  let changed = 0
  let after: string | undefined
  for (;;) {
    const betIds = await readBetsOn(deps.db, eventId, after)
    if (betIds.length === 0) break
    changed += await applyResults(deps, betIds)
    after = betIds.at(-1)
  }
  await resultsApplied(deps.db, eventId, version)
  return changed
}
