/**
 * From the intent to a decided bet: committed before the call (C-1), decided by the answer (C-2) and a last look (C-3). Wishes that come
 * at the same time are looked up, opened and closed together (batched-transactions.ts).
 */

import { createBatcher } from '../../../runtime/async/batcher.ts'
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

/** What is known before anything is written. */
export interface PlacementContext {
  /** Undefined when there is none. */
  readonly session: StoredFrameSession | undefined
  /** Whether one of the events is over (C-11). */
  readonly isOver: boolean
}

export interface Placements {
  loadContext(query: ContextQuery): Promise<PlacementContext>
  /** Commits the bet and the intent to call (C-1), or the bet as declined. */
  commitIntent(intent: PlacementIntent): Promise<IntentOutcome>
  /** Records the partner's answer and decides the bet. */
  decideAnswer(answered: PlacementAnswer): Promise<PlacementOutcome>
}

/** Those of one process. An answer is never refused: it is about money, and there are no more of them than were let in. */
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
