/** Placements of a process that is gone: their outcome is unknown, so they are rolled back (C-1). */
import { ROLLBACK_REASON } from '../../../protocol/reply-codes.ts'
import { type FlowDeps, recordDecisions, toCancelDecision } from '../bets/bet-flow.ts'
import { readPlaceDeliveries, recordAttemptResults } from '../store/outbox.ts'
import { lockFreeBetIds, readPlatformBets } from '../store/platform-bet-store.ts'

/**
 * C-1: a bet whose placing process is gone has an unknown outcome and is rolled back. Safe beside a process that is only
 * slow: the one that locks the bet first decides, and the other one finds it decided.
 */
export function rollBackAbandonedPlacements(deps: FlowDeps, betIds: readonly string[]): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const free = await lockFreeBetIds(tx, betIds) // one that is held is just being decided by the process that is slow
    const bets = (await readPlatformBets(tx, [...free])).filter((bet) => bet.status === 'placing')
    const places = await readPlaceDeliveries(
      tx,
      bets.map(({ betId }) => betId),
    )
    const error = 'the process that placed the bet has ended'
    const results = [...places.values()].map(
      (deliveryId) =>
        ({
          deliveryId,
          attempt: 1,
          status: 'unknown',
          firstAttemptAt: null,
          dueAt: null,
          code: null,
          error,
          isOwed: false,
        }) as const,
    )
    await recordAttemptResults(tx, results, deps.clock.now())
    await recordDecisions(
      deps,
      tx,
      bets.map((bet) => toCancelDecision(deps, bet, ROLLBACK_REASON.closingFailed)),
    )
    return bets.length
  })
}
