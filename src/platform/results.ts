/** Results of events settle the bets that they decide. */
import { applyResults, type FlowDeps } from './bet-flow.ts'
import { type OutcomeResult, readBetsOn, saveResults } from './event.ts'

/**
 * Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow, in slices, each with its
 * deliveries in one transaction. Resolves to the number of bets that changed. A crash in between is mended by sending
 * the same results again: bets that follow already stay as they are.
 */
export async function setResults(deps: FlowDeps, eventId: string, outcomes: readonly OutcomeResult[]): Promise<number> {
  await deps.db.transaction((tx) => saveResults(tx, eventId, outcomes, deps.clock.now()))
  let changed = 0
  let after: string | undefined
  for (;;) {
    const betIds = await readBetsOn(deps.db, eventId, after)
    if (betIds.length === 0) return changed
    changed += await applyResults(deps, betIds)
    after = betIds.at(-1)
  }
}
