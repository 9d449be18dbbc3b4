/**
 * Decides an Unsettle, which takes the payout back and opens the bet again (L-2, L-3; decisions.md,
 * "The life of a bet", third column).
 */
import { accept, type Decision, findBet, move, refuse, repeat } from './decision.ts'
import type { BetCall } from './read-call.ts'
import { contentOf, refusalAgain, refuseForGood, remember, takeable } from './settle.ts'
import { type Bet, has, isForgotten, nowOf, type Placement, purseOf, requestKey, type Wallet } from './state.ts'

export function unsettle(wallet: Wallet, call: BetCall): Decision {
  if (call.token === undefined && has(wallet, 'unsettle-token-demanded')) return refuse(3)
  // the bytes of a Place bet are no Unsettle (S-5)
  if (wallet.placeRequests.has(requestKey(wallet, call)) && !has(wallet, 'place-bytes-unsettle')) return refuse(5)
  const bet = findBet(wallet, call)
  if (bet === undefined) return has(wallet, 'unsettle-unknown-ok') ? accept(call, nowOf(wallet)) : refuse(5)
  switch (bet.state) {
    case 'refused':
      return refuse(5)
    case 'cancelled':
      return unsettleCancelled(wallet, call, bet)
    case 'open':
    case 'settled':
      return bet.placement ? unsettlePlaced(wallet, call, bet, bet.placement) : refuse(5)
    default:
      return bet.state satisfies never
  }
}

function unsettleCancelled(wallet: Wallet, call: BetCall, bet: Bet): Decision {
  const late = bet.acknowledged.get(contentOf(call))
  if (late !== undefined) return repeat(wallet, call, late)
  const refused = refusalAgain(wallet, call, bet)
  if (refused !== undefined) return refused
  if (bet.placement === undefined || !has(wallet, 'unsettle-cancelled-reopens')) return refuse(20)
  return { ...accept(call, nowOf(wallet)), bet: { ...bet, state: 'open' } }
}

function unsettlePlaced(wallet: Wallet, call: BetCall, bet: Bet, placement: Placement): Decision {
  const late = bet.acknowledged.get(contentOf(call))
  if (late !== undefined && !takesAgain(wallet, bet)) return repeat(wallet, call, late)
  const refused = late === undefined ? refusalAgain(wallet, call, bet) : undefined
  if (refused !== undefined) return refused
  // another currency than the bet's is code 5 (I-4)
  if (call.currency !== undefined && call.currency !== placement.currency) return refuse(5)
  if (bet.state === 'open') return unsettleOpen(wallet, call, bet, placement)
  if (bet.locked) return refuseForGood(call, bet, 20) // a locked bet is 20 (L-3)
  return reopen(wallet, call, bet, placement, takenBack(wallet, call, bet, placement))
}

function takesAgain(wallet: Wallet, { at }: Bet): boolean {
  return has(wallet, 'unsettle-repeat-takes-again') || isForgotten(wallet, at, 'unsettle-forgotten')
}

function unsettleOpen(wallet: Wallet, call: BetCall, bet: Bet, placement: Placement): Decision {
  if (bet.wasUnsettled && takesAgain(wallet, bet)) return reopen(wallet, call, bet, placement, -bet.payout)
  if (!bet.wasUnsettled && has(wallet, 'unsettle-open-moves'))
    return reopen(wallet, call, bet, placement, placement.stake)
  return remember(call, bet, repeat(wallet, call, bet.at))
}

/** The change of the player's balance in minor units, negative for a debit. */
function takenBack(wallet: Wallet, call: BetCall, { payout, resultType }: Bet, { stake }: Placement): bigint {
  if (has(wallet, 'unsettle-ignored')) return 0n
  if (has(wallet, 'unsettle-takes-stake')) return -payout - stake
  if (has(wallet, 'unsettle-returns-stake')) return stake - payout
  if (payout === 0n && has(wallet, 'unsettle-loss-refunds')) return stake
  if (resultType === 'cashout' && has(wallet, 'unsettle-cashout-ignored')) return 0n
  return call.amount !== undefined && has(wallet, 'unsettle-takes-the-amount-asked') ? -call.amount : -payout
}

function reopen(wallet: Wallet, call: BetCall, bet: Bet, { currency }: Placement, wanted: bigint): Decision {
  const owner = wallet.players.get(bet.owner)
  if (owner === undefined) return refuse(5)
  const units = takeable(wallet, wanted, purseOf(wallet, owner, currency).units(), 'unsettle-partial')
  if (units === undefined) return refuseForGood(call, bet, 21)
  const at = nowOf(wallet)
  const results = bet.results + 1
  const reopened = { ...bet, state: 'open', at, requestId: call.requestId, wasUnsettled: true, results } as const
  const decided = { ...accept(call, at), moves: [move(wallet, owner, currency, units)] }
  return remember(call, reopened, decided)
}
