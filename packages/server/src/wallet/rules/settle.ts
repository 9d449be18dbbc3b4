/**
 * Rules of Settle and resettle (L-1 to L-6). They implement the column "Settle" of the table "The
 * life of a bet" (docs/reference/decisions.md).
 */
import { ZERO } from '@purser/protocol/values/money'
import type { Bet, Funder, Placement, SettleCall, Settlement } from '../store/bet.ts'
import {
  type Anomaly,
  type BetPosting,
  type Decision,
  type Facts,
  findMoneyRefusal,
  isResultLocked,
  refuseCall,
} from './decision.ts'
import { isAboveOdds } from './odds-payout.ts'
import { findReplay } from './replay-detection.ts'
import { checkToken } from './token-validity.ts'

export function decideSettle(call: SettleCall, facts: Facts): Decision {
  const { bet } = facts
  switch (bet.kind) {
    case 'unknown':
      return refuseCall(
        'invalid_request',
        'settle_of_unknown_bet',
        'transactionId names no bet of this player; it must name an accepted Place bet',
      )
    case 'refused':
      return refuseCall(
        'invalid_request',
        'settle_of_refused_bet',
        'transactionId names a declined bet; it must name an accepted Place bet',
      )
    case 'cancelled':
      return findReplay(call, facts) ?? refuseCall('recalculation_blocked', 'settle_after_rollback')
    case 'open':
    case 'settled':
      return findReplay(call, facts) ?? applyResult(call, bet, facts)
    default:
      return bet satisfies never
  }
}

function applyResult(call: SettleCall, bet: Bet & { kind: 'open' | 'settled' }, facts: Facts): Decision {
  const { placement } = bet
  if (call.currency !== placement.currency)
    return refuseCall(
      'invalid_request',
      'currency_differs_from_bet',
      'currency differs from the currency of the bet; it must be the same',
    )
  if (bet.kind === 'settled' && isSameResult(call, bet.settlement))
    return { kind: 'repeat', at: bet.since, isNew: true }
  const token = call.resultType === 'cashout' ? checkCashoutToken(call, facts) : 'live'
  if (token !== 'live') return refuseCall(token)
  if (bet.kind === 'settled' && isResultLocked(bet.since, facts)) return refuseCall('recalculation_blocked')
  const settlement = { payout: call.payout, resultType: call.resultType, payee: choosePayee(call, placement) }
  const postings =
    bet.kind === 'settled' ? replaceSettlement(bet.settlement, settlement) : settleFirst(placement, settlement)
  const refusal = findMoneyRefusal(postings, placement.currency, facts)
  if (refusal !== undefined) return refusal
  const anomaly = findAnomaly(call, placement)
  return {
    kind: 'apply',
    bet: { kind: 'settled', placement, settlement, since: facts.now },
    postings,
    ...(anomaly && { anomaly }),
  }
}

/** A payout above the odds has priority: it is a wallet's only sign of a stolen secret (W-49). */
function findAnomaly(call: SettleCall, placement: Placement): Anomaly | undefined {
  if (isAboveOdds(call.payout, placement)) return 'payout_above_odds'
  return contradictsAmount(call) ? 'result_contradicts_amount' : undefined
}

function isSameResult(call: SettleCall, settlement: Settlement): boolean {
  return call.payout === settlement.payout && call.resultType === settlement.resultType
}

/** A cashout needs a live token (L-4); the decoder refuses an absent one. */
function checkCashoutToken(call: SettleCall, facts: Facts) {
  return checkToken(call.token && facts.session(call.token), call.player, facts.now)
}

/** A refund returns money to the payer of the stake (M-4); every other payout is the player's. */
function choosePayee(call: SettleCall, placement: Placement): Funder {
  return call.resultType === 'refund' ? placement.funder : 'player'
}

function settleFirst({ stake }: Placement, settlement: Settlement): BetPosting[] {
  const closed: BetPosting = { kind: 'stake_closed', debit: 'open_stakes', credit: 'house', amount: stake }
  return [...(stake > 0n ? [closed] : []), ...payOut(settlement)]
}

/**
 * Another payout reverses the earlier settlement and pays the new one; the same payout moves no
 * money (L-1).
 */
function replaceSettlement(earlier: Settlement, later: Settlement): BetPosting[] {
  const sameMoney = earlier.payout === later.payout && (earlier.payee === later.payee || later.payout === ZERO)
  return sameMoney ? [] : [...reversePayout(earlier), ...payOut(later)]
}

function payOut({ payout, payee }: Settlement): BetPosting[] {
  return payout > 0n ? [{ kind: 'payout', debit: 'house', credit: payee, amount: payout }] : []
}

export function reversePayout({ payout, payee }: Settlement): BetPosting[] {
  return payout > 0n ? [{ kind: 'payout_reversal', debit: payee, credit: 'house', amount: payout }] : []
}

/** The amount decides; a `resultType` that contradicts it is an anomaly (L-6). */
export function contradictsAmount({ resultType, payout }: SettleCall): boolean {
  return (resultType === 'won' && payout === 0n) || (resultType === 'lost' && payout > 0n)
}
