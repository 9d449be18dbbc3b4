/** Rollback of placements whose process has died. */
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { type FlowDeps, recordDecisions, toCancelDecision } from '../bets/bet-flow.ts'
import { readPlaceDeliveries, recordAttemptResults } from '../store/outbox.ts'
import { lockFreeBetIds, readPlatformBets } from '../store/platform-bet-store.ts'

/**
 * The outcome of an abandoned placement is unknown, so the bet is rolled back (C-1). If its process
 * is only slow, the first one to lock the bet decides.
 */
export function rollBackAbandonedPlacements(deps: FlowDeps, betIds: readonly string[]): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const free = await lockFreeBetIds(tx, betIds) // a locked bet is being decided by its slow process
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
