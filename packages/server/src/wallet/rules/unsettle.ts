/**
 * Rules of Unsettle: the applied payout is taken back, and the bet is open again (L-2, L-3, S-5).
 * They implement the column "Unsettle" of the table "The life of a bet"
 * (docs/reference/decisions.md).
 */
import type { Bet, UnsettleCall } from '../store/bet.ts'
import { type BetPosting, type Decision, type Facts, findMoneyRefusal, isResultLocked, refuseCall } from './decision.ts'
import { findReplay, isPlaceBetWithPut } from './replay-detection.ts'
import { reversePayout } from './settle.ts'

export function decideUnsettle(call: UnsettleCall, facts: Facts): Decision {
  const { bet } = facts
  if (isPlaceBetWithPut(call, facts))
    return refuseCall(
      'invalid_request',
      'place_bet_with_put',
      'requestId belongs to a Place bet; an Unsettle must have a requestId of its own',
    )
  switch (bet.kind) {
    case 'unknown':
      return refuseCall(
        'invalid_request',
        'unsettle_of_unknown_bet',
        'transactionId names no bet of this player; it must name an accepted Place bet',
      )
    case 'refused':
      return refuseCall(
        'invalid_request',
        'unsettle_of_refused_bet',
        'transactionId names a declined bet; it must name an accepted Place bet',
      )
    case 'cancelled':
      return findReplay(call, facts) ?? refuseCall('recalculation_blocked', 'unsettle_after_rollback')
    case 'open':
    case 'settled':
      return findReplay(call, facts) ?? reopen(call, bet, facts)
    default:
      return bet satisfies never
  }
}

function reopen(call: UnsettleCall, bet: Bet & { kind: 'open' | 'settled' }, facts: Facts): Decision {
  const { placement } = bet
  if (call.currency !== undefined && call.currency !== placement.currency) {
    return refuseCall(
      'invalid_request',
      'currency_differs_from_bet',
      'currency differs from the currency of the bet; it must be the same',
    )
  }
  if (bet.kind === 'open') return { kind: 'repeat', at: bet.since, isNew: true }
  if (isResultLocked(bet.since, facts)) return refuseCall('recalculation_blocked')
  const reopened: BetPosting = {
    kind: 'stake_reopened',
    debit: 'house',
    credit: 'open_stakes',
    amount: placement.stake,
  }
  const postings = [...reversePayout(bet.settlement), ...(placement.stake > 0n ? [reopened] : [])]
  const refusal = findMoneyRefusal(postings, placement.currency, facts)
  if (refusal !== undefined) return refusal
  return { kind: 'apply', bet: { kind: 'open', placement, since: facts.now }, postings }
}
