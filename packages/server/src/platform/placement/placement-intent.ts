/** Intent of a placement: the bet and the intent to call are committed before the call (C-1). */

import { formatMoney, requireScale } from '@purser/protocol/values/money'
import { environment } from '@purser/runtime/environment'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import type { Tx } from '../../core/database/db.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { formatPlaceMessage, type PlaceExtras, redactBodyToken } from '../bets/partner-messages.ts'
import { insertDeliveries, type NewDelivery, START_WITHIN_MS } from '../store/outbox.ts'
import { insertNewBets, insertSelections, type PlacementOutcome, type Submission } from '../store/placement-store.ts'
import type { PlatformBet, Selection } from '../store/platform-bet.ts'
import { addBetChanges } from '../store/platform-change-feed.ts'

export interface PlacementIntent {
  readonly bet: PlatformBet
  readonly selections: readonly Selection[]
  readonly extras: PlaceExtras
  readonly submission: Submission
  readonly author: Actor
}

/**
 * A bet that waits for the partner's answer. Only the process that holds it may record the answer.
 */
export interface PendingPlacement {
  readonly bet: PlatformBet
  readonly selections: readonly Selection[]
  readonly body: string
  /**
   * Time of `environment.monotonicNow()`. A later call could arrive after the rollback of an
   * abandoned bet (C-1).
   */
  readonly startBefore: number
}

export type IntentOutcome =
  | { readonly kind: 'placing'; readonly placing: PendingPlacement }
  /** No call is made. */
  | { readonly kind: 'declined'; readonly placed: PlacementOutcome }
  | { readonly kind: 'key_taken' }

/** Commits each bet as pending, or as declined if the intent is declined. */
export async function commitIntents(
  deps: FlowDeps,
  tx: Tx,
  intents: readonly PlacementIntent[],
): Promise<IntentOutcome[]> {
  const [begunAt, now] = [environment.monotonicNow(), deps.clock.now()]
  const written = await insertNewBets(tx, intents, now)
  const fresh = intents.filter(({ bet }) => written.has(bet.betId))
  const calls = new Map(fresh.filter(needsCall).map((intent) => [intent.bet.betId, toPlaceDelivery(deps, intent)]))
  await tx.finish(() =>
    Promise.all([
      insertSelections(tx, fresh),
      insertDeliveries(tx, [...calls.values()].map(withRedactedToken), now),
      addBetChanges(
        tx,
        fresh.filter((intent) => !needsCall(intent)).map(({ bet }) => bet),
        now,
      ),
      ...fresh.map((intent) => recordIntent(deps, tx, intent, now)),
    ]),
  )
  return intents.map(({ bet, selections }) => {
    if (!written.has(bet.betId)) return { kind: 'key_taken' }
    const body = calls.get(bet.betId)?.body
    if (body === undefined) return { kind: 'declined', placed: { status: bet.status, reason: bet.reason } }
    return { kind: 'placing', placing: { bet, selections, body, startBefore: begunAt + START_WITHIN_MS } }
  })
}

function needsCall({ bet }: PlacementIntent): boolean {
  return bet.status === 'placing'
}

/** This process makes the call now, so the delivery is never due. */
function toPlaceDelivery({ scales }: FlowDeps, { bet, selections, extras }: PlacementIntent): NewDelivery {
  const { betId, partnerId } = bet
  const requestId = environment.uuid()
  const body = formatPlaceMessage(bet, selections, extras, { scales, requestId })
  const state = { status: 'pending', attempts: 1, dueAt: 'infinity', result: null } as const
  return { betId, partnerId, number: 1, operation: 'place', requestId, body, ...state }
}

/** The call is sent from memory and never again (C-1), so its token is not stored (O-6). */
function withRedactedToken(call: NewDelivery): NewDelivery {
  return { ...call, body: redactBodyToken(call.body) }
}

function recordIntent({ scales }: FlowDeps, tx: Tx, { bet, author }: PlacementIntent, at: Date): Promise<void> {
  const { betId, userId, currency, stake } = bet
  const after = { userId, currency, amount: formatMoney(stake, requireScale(scales, currency)) }
  return author.record(tx, { on: { betId }, before: {}, after, at })
}
