/**
 * Batched database work of placements. The intent is committed before the call (C-1). Then the
 * wallet's answer decides the bet (C-2), and after an acceptance the platform's second check, the
 * control stage (C-3). Concurrent requests share their transactions (batched-transactions.ts).
 */

import { createBatcher } from '@purser/runtime/async/batcher'
import { isOutage } from '../../core/database/database-errors.ts'
import { batchInTransactions, MAX_WAITING_REQUESTS, requireSingle } from '../bets/batched-transactions.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { readFrameSessions, type StoredFrameSession } from '../bets/frame-session.ts'
import { readEndedEvents } from '../store/event-store.ts'
import type { PlacementOutcome } from '../store/placement-store.ts'
import { decidePlacements, type PlacementAnswer } from './placement-decision.ts'
import { commitIntents, type IntentOutcome, type PlacementIntent } from './placement-intent.ts'

export interface ContextQuery {
  readonly frameSessionId: string
  readonly eventIds: readonly string[]
}

export interface PlacementContext {
  /** Undefined if the session does not exist. */
  readonly session: StoredFrameSession | undefined
  /** True if one of the events has ended (C-11). */
  readonly isOver: boolean
}

export interface Placements {
  loadContext(query: ContextQuery): Promise<PlacementContext>
  /** Commits the bet and the intent to call (C-1), or the declined bet. */
  commitIntent(intent: PlacementIntent): Promise<IntentOutcome>
  decideAnswer(answered: PlacementAnswer): Promise<PlacementOutcome>
}

/**
 * The batchers of one process. An answer is never rejected, because money depends on it; the number
 * of calls bounds the number of answers.
 */
export function createPlacements(deps: FlowDeps): Placements {
  const { db } = deps
  return {
    loadContext: createBatcher({
      processBatch: (queries) => loadContexts(deps, queries),
      processOne: async (query) => requireSingle(await loadContexts(deps, [query])),
      isBatchFatal: isOutage,
      maxWaiting: MAX_WAITING_REQUESTS,
    }),
    commitIntent: batchInTransactions(db, MAX_WAITING_REQUESTS, (tx, intents: readonly PlacementIntent[]) =>
      commitIntents(deps, tx, intents),
    ),
    decideAnswer: batchInTransactions(db, Number.POSITIVE_INFINITY, (tx, answered: readonly PlacementAnswer[], busy) =>
      decidePlacements(deps, tx, answered, busy),
    ),
  }
}

async function loadContexts({ db }: FlowDeps, queries: readonly ContextQuery[]): Promise<PlacementContext[]> {
  const [sessions, ended] = await Promise.all([
    readFrameSessions(
      db,
      queries.map(({ frameSessionId }) => frameSessionId),
    ),
    readEndedEvents(
      db,
      queries.flatMap(({ eventIds }) => eventIds),
    ),
  ])
  return queries.map(({ frameSessionId, eventIds }) => ({
    session: sessions(frameSessionId),
    isOver: eventIds.some((eventId) => ended.has(eventId)),
  }))
}
