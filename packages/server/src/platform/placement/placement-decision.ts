/**
 * Decision of a placement: the partner's answer decides the bet (C-2), and an accepted bet passes
 * the control stage (C-3).
 */

import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import type { WalletAnswer } from '@purser/protocol/client/wallet-client'
import { REPLY_CODES, ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import type { Scales } from '@purser/protocol/values/money'
import type { Tx } from '../../core/database/db.ts'
import { type FlowDeps, recordDecisions, rollbackReason, toCancelDecision } from '../bets/bet-flow.ts'
import { lockEventsShared } from '../store/event-store.ts'
import {
  addToTotals,
  type CountedBet,
  computeWin,
  type ExposureTotals,
  subtractFromTotals,
} from '../store/exposure-totals.ts'
import {
  type AttemptRecord,
  type AttemptResult,
  insertAttempts,
  readPlaceDeliveries,
  recordAttemptResults,
} from '../store/outbox.ts'
import { type Offer, readOffers } from '../store/outcome-offer.ts'
import { closeBets, lockPlacements, type PlacementOutcome } from '../store/placement-store.ts'
import type { PlatformBet, Selection } from '../store/platform-bet.ts'
import { type AcknowledgedState, saveAcknowledged } from '../store/platform-bet-store.ts'
import { addBetChanges } from '../store/platform-change-feed.ts'
import { type BetLimits, readLimits } from './bet-limits.ts'
import { findObjection } from './control-stage.ts'
import type { PendingPlacement } from './placement-intent.ts'

export interface PlacementAnswer {
  readonly placing: PendingPlacement
  readonly answer: WalletAnswer
  readonly startedAt: Date
}

type PlacementDecision =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'rolled_back'; readonly errorCode: number }

/**
 * Data of the control stage. The totals exclude the bets of the batch, and include each one once it
 * is accepted.
 */
interface ControlContext {
  readonly limits: BetLimits
  readonly scales: Scales
  readonly totals: ExposureTotals
  offerOf(selection: Selection): Offer
}

interface ReviewedAnswer {
  readonly answered: PlacementAnswer
  /**
   * A bet that the partner accepted. It is counted at once, which locks its totals, and subtracted
   * if the bet is not accepted.
   */
  readonly counted: CountedBet | undefined
  /** Undefined unless the bet was still in placement. */
  readonly decision: PlacementDecision | undefined
}

/**
 * Records answers and decides their bets one after another. If another process has taken over a bet
 * of a slow process, its decision stands. `busy` controls bets that another transaction holds: they
 * are awaited, or left with the result undefined.
 */
export async function decidePlacements(
  deps: FlowDeps,
  tx: Tx,
  all: readonly PlacementAnswer[],
  busy: 'wait' | 'leave',
): Promise<(PlacementOutcome | undefined)[]> {
  const betIds = all.map(betIdOf)
  const entries = all.map((answered) => ({ answered, counted: toCountedBet(answered) }))
  const candidates = entries.flatMap(({ counted }) => counted ?? [])
  const selections = all.flatMap(({ placing }) => placing.selections)
  // One round trip in this order: bets are locked, then events, then totals. The reads therefore
  // see the commits of the earlier holders.
  const [locked, deliveryIds, , offerOf, limits, totals] = await Promise.all([
    lockPlacements(tx, betIds, busy),
    readPlaceDeliveries(tx, betIds),
    lockEventsShared(tx, betIds),
    readOffers(tx, selections),
    readLimits(tx),
    addToTotals(tx, candidates),
  ])
  for (const counted of candidates) totals.subtract(counted)
  const context = { limits, scales: deps.scales, totals, offerOf }
  const reviewed = entries.map(({ answered, counted }): ReviewedAnswer => {
    const isOpen = locked.get(betIdOf(answered))?.status === 'placing'
    return { answered, counted, decision: isOpen ? decideAnswer(context, answered, counted) : undefined }
  })
  await writeDecisions(deps, tx, reviewed, deliveryIds, (answered) => locked.has(betIdOf(answered)))
  return reviewed.map(({ answered, decision }) =>
    decision === undefined ? locked.get(betIdOf(answered)) : toPlaced(decision),
  )
}

function betIdOf({ placing }: PlacementAnswer): string {
  return placing.bet.betId
}

function isYes({ answer }: PlacementAnswer): boolean {
  return answer.outcome.kind === 'accepted'
}

function toCountedBet(answered: PlacementAnswer): CountedBet | undefined {
  const { bet, selections } = answered.placing
  const win = isYes(answered) ? computeWin(bet) : undefined
  return win === undefined ? undefined : { ...bet, win, selections }
}

function decideAnswer(
  context: ControlContext,
  { placing, answer: { outcome } }: PlacementAnswer,
  counted: CountedBet | undefined,
): PlacementDecision {
  if (isDeclined(outcome)) return { kind: 'declined', reason: `partner code ${outcome.code}` }
  if (outcome.kind !== 'accepted') {
    const isTimeOut = outcome.kind === 'unknown' && outcome.reason === 'time_out'
    return { kind: 'rolled_back', errorCode: isTimeOut ? ROLLBACK_REASON.timeOut : ROLLBACK_REASON.partnerFailed }
  }
  if (counted === undefined) return { kind: 'rolled_back', errorCode: ROLLBACK_REASON.closingFailed }
  const objection = runControlStage(context, placing, counted)
  if (objection !== undefined) return { kind: 'rolled_back', errorCode: objection }
  context.totals.add(counted)
  return { kind: 'accepted' }
}

function runControlStage(
  { offerOf, totals, ...context }: ControlContext,
  { bet, selections }: PendingPlacement,
  counted: CountedBet,
): number | undefined {
  const offered = selections.map((selection) => ({ ...selection, ...offerOf(selection) }))
  return findObjection({ ...context, bet, selections: offered, exposure: totals.exposureOf(counted), win: counted.win })
}

/** A system error leaves open whether the bet was debited (C-2). */
function isDeclined(outcome: CallOutcome): outcome is CallOutcome & { kind: 'refused' } {
  return outcome.kind === 'refused' && outcome.code !== REPLY_CODES.system_error.code
}

function toPlaced(decision: PlacementDecision): PlacementOutcome {
  switch (decision.kind) {
    case 'accepted':
      return { status: 'accepted', reason: null }
    case 'declined':
      return { status: 'declined', reason: decision.reason }
    case 'rolled_back':
      return { status: 'cancelled', reason: rollbackReason(decision.errorCode) }
    default:
      return decision satisfies never
  }
}

/**
 * Later decisions in the transaction see the Place bets as ended, because `recordDecisions` runs
 * after the answers are written.
 */
async function writeDecisions(
  deps: FlowDeps,
  tx: Tx,
  reviewed: readonly ReviewedAnswer[],
  deliveryIds: ReadonlyMap<string, bigint>,
  isLocked: (answered: PlacementAnswer) => boolean,
): Promise<void> {
  const now = deps.clock.now()
  const returned = reviewed.map(({ answered }) => answered).filter(isLocked)
  const closed: PlatformBet[] = []
  const rolledBack: { answered: PlacementAnswer; errorCode: number }[] = []
  for (const { answered, decision } of reviewed) {
    if (decision?.kind === 'rolled_back') rolledBack.push({ answered, errorCode: decision.errorCode })
    else if (decision !== undefined) closed.push({ ...answered.placing.bet, ...toPlaced(decision) })
  }
  const acknowledged = rolledBack.map(({ answered }) => answered).filter(isYes)
  const uncounted = reviewed.flatMap(({ counted, decision }) => (decision?.kind === 'accepted' ? [] : (counted ?? [])))
  const attempts = returned.map((answered) => toAttempt(answered, deliveryIds))
  const results = returned.map((answered) => toResult(answered, deliveryIds))
  const send = () =>
    Promise.all([
      insertAttempts(tx, attempts),
      recordAttemptResults(tx, results, now),
      closeBets(tx, closed, now),
      addBetChanges(tx, closed, now),
      saveAcknowledged(tx, acknowledged.map(toAcknowledgedOpen)),
      subtractFromTotals(tx, uncounted),
    ])
  if (rolledBack.length === 0) return void (await tx.finish(send))
  const rollbacks = rolledBack.map(({ answered, errorCode }) => toCancelDecision(deps, answered.placing.bet, errorCode))
  await Promise.all([send(), recordDecisions(deps, tx, rollbacks)])
}

function toAcknowledgedOpen(answered: PlacementAnswer): AcknowledgedState {
  return { betId: betIdOf(answered), status: 'open', payout: null, resultType: null }
}

function toAttempt(answered: PlacementAnswer, deliveryIds: ReadonlyMap<string, bigint>): AttemptRecord {
  const { answer, startedAt } = answered
  const { outcome, status, body, durationMs, phases } = answer
  const deliveryId = requireDeliveryId(answered, deliveryIds)
  return {
    deliveryId,
    number: 1,
    startedAt,
    durationMs,
    status,
    outcome: outcome.kind,
    body,
    phases,
    ...toCodeAndError(outcome),
  }
}

function toResult(answered: PlacementAnswer, deliveryIds: ReadonlyMap<string, bigint>): AttemptResult {
  const { outcome } = answered.answer
  const status = outcome.kind === 'accepted' ? 'done' : isDeclined(outcome) ? 'refused' : 'unknown'
  const deliveryId = requireDeliveryId(answered, deliveryIds)
  const over = { attempt: 1, firstAttemptAt: answered.startedAt, dueAt: null, isOwed: false } as const
  return { deliveryId, status, ...over, ...toCodeAndError(outcome) }
}

function requireDeliveryId(answered: PlacementAnswer, deliveryIds: ReadonlyMap<string, bigint>): bigint {
  const deliveryId = deliveryIds.get(betIdOf(answered))
  if (deliveryId === undefined) throw new Error('a bet has no Place bet')
  return deliveryId
}

function toCodeAndError(outcome: CallOutcome): { code: number | null; error: string | null } {
  return {
    code: outcome.kind === 'refused' ? outcome.code : null,
    error: outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null,
  }
}
