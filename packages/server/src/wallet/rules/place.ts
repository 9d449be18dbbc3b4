/**
 * Rules of Place bet, with the checks in the order of R-6. They implement the column "Place bet" of
 * the table "The life of a bet" (docs/reference/decisions.md).
 */
import type { RememberedRefusal } from '@purser/protocol/reply-codes'
import type { Bet, Funder, PlaceCall } from '../store/bet.ts'
import { findIneligibility } from './betting-eligibility.ts'
import { type Decision, type Facts, type Rules, refuseCall } from './decision.ts'
import { checkToken } from './token-validity.ts'

export function decidePlace(call: PlaceCall, facts: Facts): Decision {
  const { bet } = facts
  switch (bet.kind) {
    case 'unknown':
      return placeNew(call, facts)
    case 'open':
    case 'settled':
      return isSamePlacement(call, bet)
        ? { kind: 'repeat', at: bet.placement.placedAt }
        : refuseCall('already_processed', 'place_differs_from_bet')
    case 'cancelled':
      return refuseCall('already_processed', 'place_after_rollback')
    case 'refused':
      return refuseCall(bet.refusal)
    default:
      return bet satisfies never
  }
}

function isSamePlacement(call: PlaceCall, { placement }: Bet & { kind: 'open' | 'settled' }): boolean {
  return placement.stake === call.stake && placement.currency === call.currency
}

function placeNew(call: PlaceCall, facts: Facts): Decision {
  const session = facts.session(call.token)
  const token = checkToken(session, call.player, facts.now)
  if (token !== 'live') return refuseCall(token)
  const funder = chooseFunder(call, facts.rules)
  const refusal = findIneligibility(call, funder, facts)
  if (refusal !== undefined) return refuseForGood(refusal, facts)
  if (session?.currency !== call.currency)
    return refuseCall(
      'invalid_request',
      undefined,
      'currency differs from the currency of the token; it must be the same',
    )
  const balance = facts.account(call.currency)?.balance ?? 0n
  if (funder === 'player' && balance < call.stake) return refuseForGood('not_enough_money', facts)
  return debitStake(call, funder, facts.now)
}

/** Promotions pay the stake of a bet with a bonus, if so configured (M-4). */
export function chooseFunder({ hasBonus }: PlaceCall, { freebetStake }: Rules): Funder {
  return hasBonus && freebetStake === 'promotions' ? 'promotions' : 'player'
}

/** The same bet id gets the same refusal again, even if the balance suffices by then (I-3). */
function refuseForGood(refusal: RememberedRefusal, { now }: Facts): Decision {
  return { kind: 'refuse', code: refusal, bet: { kind: 'refused', refusal, since: now } }
}

function debitStake(call: PlaceCall, funder: Funder, now: Date): Decision {
  const { stake, currency, site, oddsPayout } = call
  return {
    kind: 'apply',
    bet: { kind: 'open', placement: { stake, currency, funder, site, oddsPayout, placedAt: now }, since: now },
    postings: [{ kind: 'stake', debit: funder, credit: 'open_stakes', amount: stake }],
    ...(isBonusTooSmall(call, funder) && { anomaly: 'bonus_below_stake' }),
  }
}

/** Promotions pay the whole stake, even if the bonus covers only a part (W-49). */
function isBonusTooSmall({ bonusAmount, stake }: PlaceCall, funder: Funder): boolean {
  return funder === 'promotions' && bonusAmount !== null && bonusAmount < stake
}
