/**
 * From the intent to a decided bet: committed before the call (C-1), decided by the answer (C-2) and a last look (C-3). Wishes that come
 * at the same time are looked up, opened and closed together (in-transactions.ts).
 */
import { isOutage } from '../../db/errors.ts'
import { ROLLBACK_REASON } from '../../protocol/codes.ts'
import { inBatches } from '../../runtime/batches.ts'
import { readPlaceDeliveries, recordResults } from '../delivery/outbox.ts'
import { cancelled, decide, type FlowDeps } from './bet-flow.ts'
import { holdFreeBets, readBets } from './bet-store.ts'
import { type Answered, closePlacings } from './closing.ts'
import { readEnded } from './event.ts'
import { type KeptSession, readFrameSessions } from './frame-session.ts'
import { inTransactions, MOST_WISHES, only } from './in-transactions.ts'
import { type Intent, type Opened, openBets } from './opening.ts'
import type { Placed } from './placing-store.ts'

export interface Wish {
  readonly frameSessionId: string
  readonly eventIds: readonly string[]
}

/** What is known before anything is written. */
export interface Seen {
  /** Undefined when there is none. */
  readonly session: KeptSession | undefined
  /** Whether one of the events is over (C-11). */
  readonly isOver: boolean
}

export interface Placements {
  look(wish: Wish): Promise<Seen>
  /** Commits the bet and the intent to call (C-1), or the bet as declined. */
  open(intent: Intent): Promise<Opened>
  /** Records the partner's answer and decides the bet. */
  close(answered: Answered): Promise<Placed>
}

/** Those of one process. An answer is never refused: it is about money, and there are no more of them than were let in. */
export function createPlacements(deps: FlowDeps): Placements {
  const { db } = deps
  return {
    look: inBatches({
      together: (wishes) => lookAt(deps, wishes),
      alone: async (wish) => only(await lookAt(deps, [wish])),
      failsAll: isOutage,
      mostWaiting: MOST_WISHES,
    }),
    open: inTransactions(db, MOST_WISHES, (tx, intents: readonly Intent[]) => openBets(deps, tx, intents)),
    close: inTransactions(db, Number.POSITIVE_INFINITY, (tx, answered: readonly Answered[], busy) =>
      closePlacings(deps, tx, answered, busy),
    ),
  }
}

async function lookAt({ db }: FlowDeps, wishes: readonly Wish[]): Promise<Seen[]> {
  const [sessions, ended] = await Promise.all([
    readFrameSessions(
      db,
      wishes.map(({ frameSessionId }) => frameSessionId),
    ),
    readEnded(
      db,
      wishes.flatMap(({ eventIds }) => eventIds),
    ),
  ])
  return wishes.map(({ frameSessionId, eventIds }) => ({
    session: sessions(frameSessionId),
    isOver: eventIds.some((eventId) => ended.has(eventId)),
  }))
}

/**
 * C-1: a bet whose placing process is gone has an unknown outcome and is rolled back. Safe beside a process that is only
 * slow: the one that locks the bet first decides, and the other one finds it decided.
 */
export function giveUpPlacing(deps: FlowDeps, betIds: readonly string[]): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const free = await holdFreeBets(tx, betIds) // one that is held is just being decided by the process that is slow
    const bets = (await readBets(tx, [...free])).filter((bet) => bet.status === 'placing')
    const places = await readPlaceDeliveries(
      tx,
      bets.map(({ betId }) => betId),
    )
    const error = 'the placing process is gone'
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
    await recordResults(tx, results, deps.clock.now())
    await decide(
      deps,
      tx,
      bets.map((bet) => cancelled(deps, bet, ROLLBACK_REASON.closingFailed)),
    )
    return bets.length
  })
}
