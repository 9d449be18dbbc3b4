/**
 * Changes of bets. Invariant: each change is committed together with the delivery that notifies the
 * partner (C-1).
 */

import { formatMoney, requireScale, type Scales } from '@purser/protocol/values/money'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { groupBy } from '@purser/runtime/group'
import type { AuditView } from '../../core/auth/audit-log/audit-diff.ts'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import type { Db, Tx } from '../../core/database/db.ts'
import { isRefusal, type PlatformRefusal, toNotFound, toRefusal } from '../platform-refusal.ts'
import { computeWin, subtractFromTotals } from '../store/exposure-totals.ts'
import { boostedOdds, computePayout, type Odds } from '../store/odds.ts'
import { type DeliveryKind, insertDeliveries, type NewDelivery, readUnfinished } from '../store/outbox.ts'
import { type BetResult, type BetStatus, computeResult, type PlatformBet } from '../store/platform-bet.ts'
import {
  type JudgedSelection,
  lockFreeBets,
  lockPlatformBets,
  readResults,
  readSelections,
  recordTakenBack,
  savePlatformBets,
} from '../store/platform-bet-store.ts'
import { readUnreversedBets } from '../store/unreversed-result.ts'
import type { BusyPolicy } from './batched-transactions.ts'
import { formatRollbackMessage, formatSettleMessage, formatUnsettleMessage } from './partner-messages.ts'

export interface FlowDeps {
  readonly db: Db
  readonly clock: Clock
  readonly scales: Scales
}

/** New state of a bet, and the call that notifies the partner. */
export interface BetDecision {
  readonly bet: PlatformBet
  readonly operation: DeliveryKind
  body(requestId: string): string
}

/**
 * Writes bets and deliveries. A delivery waits until the earlier ones of its bet have ended (C-6).
 */
export async function recordDecisions(deps: FlowDeps, tx: Tx, decisions: readonly BetDecision[]): Promise<void> {
  if (decisions.length === 0) return
  const now = deps.clock.now()
  const unfinished = await readUnfinished(
    tx,
    decisions.map(({ bet }) => bet.betId),
  )
  const deliveries = decisions.map(({ bet, operation, body }): NewDelivery => {
    const requestId = environment.uuid()
    const status = unfinished.has(bet.betId) ? 'waiting' : 'pending'
    const { betId, partnerId } = bet
    return {
      betId,
      partnerId,
      number: bet.deliveries + 1,
      operation,
      requestId,
      body: body(requestId),
      status,
      attempts: 0,
      dueAt: now,
      result: operation === 'settle' ? bet.result : null,
    }
  })
  const bets = decisions.map(({ bet }) => ({ ...bet, deliveries: bet.deliveries + 1 }))
  await Promise.all([savePlatformBets(tx, bets, now), insertDeliveries(tx, deliveries, now)])
}

/** A repeated request gets the same outcome. */
export type BetChangeOutcome = PlatformBet | PlatformRefusal

export const notPossible = (detail: string) => toRefusal('not_possible', detail)

/**
 * Settles or resettles by hand. The same result again sends nothing, but then counts as set by
 * request (W-17).
 */
export function settleBet(
  deps: FlowDeps,
  author: Actor,
  betId: string,
  requested: Omit<BetResult, 'source'>,
): Promise<BetChangeOutcome> {
  const result: BetResult = { ...requested, source: 'request' }
  return changeBet(deps, author, betId, (bet) => {
    if (bet.status !== 'accepted' && bet.status !== 'settled')
      return notPossible(`a ${bet.status} bet cannot be settled`)
    if (!isSameResult(bet.result, result)) return toSettleDecision(deps, bet, result)
    return bet.result?.source === 'request' ? bet : { ...bet, result }
  })
}

/** Withdraws the result. The bet is open until the next result of its events (W-17). */
export function unsettleBet(deps: FlowDeps, author: Actor, betId: string): Promise<BetChangeOutcome> {
  return changeBet(deps, author, betId, async (bet, tx) => {
    if (bet.status === 'accepted') return bet
    if (bet.status !== 'settled') return notPossible(`a ${bet.status} bet has no result`)
    await recordTakenBack(tx, betId)
    return toUnsettleDecision(deps, bet)
  })
}

/**
 * Cancels an accepted bet. A rollback after the pending calls returns the stake. A bet is not
 * cancelled while the partner may have a result that no accepted call has reversed (W-46).
 */
export function cancelBet(deps: FlowDeps, author: Actor, betId: string, errorCode: number): Promise<BetChangeOutcome> {
  return changeBet(deps, author, betId, async (bet, tx) => {
    if (bet.status === 'cancelled') return bet
    if (bet.status !== 'accepted') return notPossible(`a ${bet.status} bet cannot be cancelled`)
    const hasRefusedReversal = (await readUnreversedBets(tx, [betId])).get(betId)
    if (hasRefusedReversal !== undefined) return notPossible(hasRefusedReversal ? NOT_GIVEN_BACK : MAYBE_CASHED_OUT)
    return toCancelDecision(deps, bet, errorCode)
  })
}

const NOT_GIVEN_BACK =
  'the partner rejected the Unsettle and would keep the result after a Rollback: retry the Unsettle, acknowledge it if it is done, or settle the bet as a refund of its stake'
const MAYBE_CASHED_OUT =
  'the partner rejected a cashout that an earlier attempt may have paid, and would keep it after a Rollback: settle the bet as a refund of its stake'

/** A plain bet means that the partner is not notified. */
type Ruling = BetDecision | PlatformBet | PlatformRefusal

function changeBet(
  deps: FlowDeps,
  author: Actor,
  betId: string,
  rule: (bet: PlatformBet, tx: Tx) => Ruling | Promise<Ruling>,
): Promise<BetChangeOutcome> {
  return deps.db.transaction(async (tx) => {
    const [bet] = await lockPlatformBets(tx, [betId])
    if (bet === undefined) return toNotFound('the bet')
    const ruling = await rule(bet, tx)
    if (isRefusal(ruling)) return ruling
    const after = 'operation' in ruling ? ruling.bet : ruling
    if ('operation' in ruling) await recordDecisions(deps, tx, [ruling])
    else if (after !== bet) await savePlatformBets(tx, [after], deps.clock.now())
    if (isCounted(bet) && !isCounted(after)) await stopCounting(tx, bet)
    await recordChange(deps, tx, author, bet, after)
    return after
  })
}

/** The limits 110 to 112 count these bets (exposure-totals.ts). */
function isCounted({ status }: { status: BetStatus }): boolean {
  return status === 'accepted' || status === 'settled'
}

async function stopCounting(tx: Tx, bet: PlatformBet): Promise<void> {
  const win = computeWin(bet)
  if (win === undefined) throw new Error('an accepted bet has invalid odds')
  await subtractFromTotals(tx, [{ ...bet, win, selections: await readSelections(tx, [bet.betId]) }])
}

/** Writes the audit log of a change by a user (O-4). */
export function recordChange(
  deps: FlowDeps,
  tx: Tx,
  author: Actor,
  before: PlatformBet,
  after: PlatformBet,
): Promise<void> {
  const views = { before: toActionView(deps, before), after: toActionView(deps, after) }
  return author.record(tx, { on: { betId: before.betId }, ...views, at: deps.clock.now() })
}

function toActionView({ scales }: FlowDeps, { status, reason, result, currency }: PlatformBet): AuditView {
  return {
    status,
    ...(reason !== null && { reason }),
    ...(result !== null && {
      resultType: result.resultType,
      payout: formatMoney(result.payout, requireScale(scales, currency)),
      decidedBy: result.source,
    }),
  }
}

export function isSameResult(a: BetResult | null, b: BetResult): boolean {
  return a !== null && a.payout === b.payout && a.resultType === b.resultType
}

/** Only a cashout contains the `token` (L-4). */
export function toSettleDecision(
  { scales }: FlowDeps,
  bet: PlatformBet,
  result: BetResult,
  token = bet.token,
): BetDecision {
  return {
    bet: { ...bet, status: 'settled', result },
    operation: 'settle',
    body: (requestId) => formatSettleMessage(bet, result, token, { scales, requestId }),
  }
}

/** The withdrawn result may differ from the bet's, because the partner may have another one. */
export function toUnsettleDecision(
  { scales }: FlowDeps,
  bet: PlatformBet,
  result: PlatformBet['acknowledgedResult'] = bet.result,
): BetDecision {
  if (result === null) throw new Error('a settled bet has no result')
  return {
    bet: { ...bet, status: 'accepted', result: null },
    operation: 'unsettle',
    body: (requestId) => formatUnsettleMessage(bet, result, { scales, requestId }),
  }
}

export function toCancelDecision({ scales }: FlowDeps, bet: PlatformBet, errorCode: number): BetDecision {
  return {
    bet: { ...bet, status: 'cancelled', reason: rollbackReason(errorCode), result: null },
    operation: 'rollback',
    body: (requestId) => formatRollbackMessage(bet, errorCode, { scales, requestId }),
  }
}

export function rollbackReason(errorCode: number): string {
  return `rollback ${errorCode}`
}

/**
 * Applies the results of an event to a slice of its bets. Decided bets are settled or corrected,
 * and undecided ones are reopened.
 */
export function applyResults(deps: FlowDeps, betIds: readonly string[], busy: BusyPolicy): Promise<AppliedSlice> {
  return deps.db.transaction(async (tx) => {
    const lock = busy === 'wait' ? lockPlatformBets : lockFreeBets
    const [locked, known] = await Promise.all([lock(tx, betIds), readResults(tx, betIds)])
    const decisions = decideByResults(deps, locked, known)
    await recordDecisions(deps, tx, decisions)
    const lockedIds = new Set(locked.map(({ betId }) => betId))
    return { changed: decisions.length, left: busy === 'wait' ? [] : betIds.filter((betId) => !lockedIds.has(betId)) }
  })
}

export interface AppliedSlice {
  /** Number of bets. */
  readonly changed: number
  /** Bets that another transaction held. */
  readonly left: readonly string[]
}

/** Decisions for the bets whose state differs from the results of their selections. */
export function decideByResults(
  deps: FlowDeps,
  locked: readonly PlatformBet[],
  known: readonly JudgedSelection[],
): BetDecision[] {
  const bets = locked.filter((bet) => bet.status === 'accepted' || bet.status === 'settled')
  const selections = groupBy(known, (selection) => selection.betId)
  return bets.flatMap((bet) => {
    if (bet.result?.source === 'request') return [] // a cashout, or a result by hand (W-17)
    const mine = selections.get(bet.betId) ?? []
    if (bet.takenBackAt !== null && sumVersions(mine) <= bet.takenBackAt) return [] // no newer result was reported since the withdrawal (W-17)
    const payoutOf = (won: readonly Odds[]) => computePayout(bet.stake, boostedOdds(won, bet.booster) ?? bet.odds)
    const result = computeResult(
      bet.stake,
      mine.map((s) => s.odds),
      mine.map((s) => s.result),
      payoutOf,
    )
    if (result === null) return bet.status === 'settled' ? [toUnsettleDecision(deps, bet)] : []
    return isSameResult(bet.result, result) ? [] : [toSettleDecision(deps, bet, result)]
  })
}

const sumVersions = (selections: readonly JudgedSelection[]) =>
  selections.reduce((sum, { resultsVersion }) => sum + resultsVersion, 0n)
