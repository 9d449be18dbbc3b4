/** Decides a Place bet (R-6; interface.md; decisions.md, "The life of a bet", first column). */
import { accept, type Decision, findBet, move, ofAnybody, refuse, repeat, sessionOf, tokenProblem } from './decision.ts'
import { limitProblem, standingProblem } from './may-bet.ts'
import type { BetCall } from './read-call.ts'
import { type Bet, betKey, has, isForgotten, nowOf, type Placement, purseOf, type Wallet } from './state.ts'

export function place(wallet: Wallet, call: BetCall): Decision {
  const bet = findBet(wallet, call)
  const other = ofSameRequest(wallet, call)
  if (other?.placement !== undefined && bet === undefined) return repeat(wallet, call, other.placement.at)
  if (bet === undefined && isTaken(wallet, call)) return refuse(5)
  return (bet && placeAgain(wallet, call, bet)) ?? placeNew(wallet, call)
}

/** A requestId does not identify a bet, except by a fault (I-2, I-6). */
function ofSameRequest(wallet: Wallet, { requestId }: BetCall): Bet | undefined {
  const { requestIds } = wallet
  if (has(wallet, 'request-id-is-the-bet')) return requestIds.get(requestId)
  if (!has(wallet, 'request-id-in-part')) return undefined
  return [...requestIds].find(([known]) => known.slice(0, 35) === requestId.slice(0, 35))?.[1]
}

/** Faults that consider an id used. */
function isTaken(wallet: Wallet, { requestId, transactionId }: BetCall): boolean {
  if (has(wallet, 'used-request-id-refused')) return wallet.requestIds.has(requestId)
  return has(wallet, 'bet-ids-global') && ofAnybody(wallet, transactionId) !== undefined
}

/** Undefined if a fault considers a known bet new. */
function placeAgain(wallet: Wallet, call: BetCall, bet: Bet): Decision | undefined {
  switch (bet.state) {
    case 'refused': // a declined bet stays declined (I-3)
      return has(wallet, 'refused-bet-accepted-later') ? undefined : refuse(bet.refusal ?? 5)
    case 'cancelled':
      return placeCancelled(wallet, call, bet)
    case 'open':
    case 'settled':
      return bet.placement && placeTaken(wallet, call, bet, bet.placement)
    default:
      return bet.state satisfies never
  }
}

function placeCancelled(wallet: Wallet, call: BetCall, bet: Bet): Decision | undefined {
  const isTombstone = bet.placement === undefined
  if (isTombstone && bet.requestId !== call.requestId && has(wallet, 'tombstone-by-request')) return undefined
  if (!isTombstone && has(wallet, 'place-cancelled-debits')) return undefined
  return !isTombstone && has(wallet, 'place-cancelled-ok') ? repeat(wallet, call, bet.at) : refuse(8)
}

function placeTaken(wallet: Wallet, call: BetCall, { state }: Bet, placed: Placement): Decision | undefined {
  const isOtherCurrency = placed.currency !== call.currency && !has(wallet, 'place-other-currency-ok')
  if (placed.stake !== call.amount || isOtherCurrency) {
    if (has(wallet, 'place-other-amount-debits')) return undefined
    return has(wallet, 'place-other-amount-ok') ? repeat(wallet, call, placed.at) : refuse(8)
  }
  if (state === 'open' && has(wallet, 'place-repeat-debits')) return undefined
  if (isForgotten(wallet, placed.at, 'place-forgotten') || isAncient(wallet, call)) return undefined
  if (placed.requestId !== call.requestId && has(wallet, 'place-keyed-by-request')) return undefined
  if (state === 'settled' && has(wallet, 'place-settled-repeat-debits')) return undefined
  if (has(wallet, 'place-repeat-refused')) return refuse(8)
  const problem = tokenProblem(wallet, sessionOf(wallet, call), call.userId)
  if (problem !== undefined && has(wallet, 'place-repeat-needs-live-token')) return refuse(problem)
  return repeat(wallet, call, placed.at) // a repeat needs no live token (I-5)
}

/** In a faulty wallet. */
const CACHED_BETS = 200

function isAncient(wallet: Wallet, { userId, transactionId }: BetCall): boolean {
  if (!has(wallet, 'place-forgotten-after-bets')) return false
  const known = [...wallet.bets.keys()]
  return known.length - known.indexOf(betKey(wallet, userId, transactionId)) > CACHED_BETS
}

function placeNew(wallet: Wallet, call: BetCall): Decision {
  const problem = placeTokenProblem(wallet, call)
  if (problem !== undefined) return refuse(problem)
  const player = wallet.players.get(call.userId)
  const { currency, amount } = call
  if (player === undefined || currency === undefined || amount === undefined) return refuse(3)
  const restriction = standingProblem(wallet, player) ?? limitProblem(wallet, call, player, currency, amount)
  if (restriction !== undefined) return refuseForGood(wallet, call, restriction)
  const isOtherCurrency = sessionOf(wallet, call)?.currency !== currency
  if (isOtherCurrency && !has(wallet, 'place-token-currency-unchecked')) return refuse(5)
  if (!isCovered(wallet, call, amount)) return refuseForGood(wallet, call, has(wallet, 'no-money-as-100') ? 100 : 7)
  return { ...open(wallet, call, currency, amount), moves: [move(wallet, player, currency, -debitOf(wallet, amount))] }
}

function debitOf(wallet: Wallet, stake: bigint): bigint {
  if (has(wallet, 'place-debits-nothing')) return 0n
  if (has(wallet, 'stake-unit-less')) return stake - 1n
  return has(wallet, 'stake-unit-more') ? stake + 1n : stake
}

function placeTokenProblem(wallet: Wallet, call: BetCall): 3 | 4 | undefined {
  if (has(wallet, 'place-token-unchecked')) return undefined
  const session = sessionOf(wallet, call)
  const owner = has(wallet, 'place-token-of-another-accepted') ? session?.userId : call.userId
  const problem = tokenProblem(wallet, session, owner ?? call.userId)
  const isExpired = session?.userId === owner && !session?.ended
  return isExpired && has(wallet, 'place-expired-token-accepted') ? undefined : problem
}

function isCovered(wallet: Wallet, { userId, currency = '' }: BetCall, stake: bigint): boolean {
  if (has(wallet, 'funds-unchecked')) return true
  const player = wallet.players.get(userId)
  return player !== undefined && purseOf(wallet, player, currency).covers(neededFor(wallet, stake))
}

function neededFor(wallet: Wallet, stake: bigint): bigint {
  if (has(wallet, 'whole-balance-refused')) return stake + 1n
  return has(wallet, 'funds-unit-over') ? stake - 1n : stake
}

export const NEW_BET = {
  ...{ payout: 0n, locked: false, payouts: [], results: 0 },
  ...{ acknowledged: new Map<string, string>(), refusedForGood: new Map() },
}

/** A refusal with 7, 9 or 11 to 16 is remembered (I-3). */
function refuseForGood(wallet: Wallet, { userId, requestId }: BetCall, refusal: number): Decision {
  const bet = { ...NEW_BET, owner: userId, state: 'refused', at: nowOf(wallet), requestId, refusal } as const
  return { ...refuse(refusal), bet }
}

function open(wallet: Wallet, call: BetCall, currency: string, stake: bigint): Decision {
  const at = nowOf(wallet)
  const { userId, requestId } = call
  const placement = { requestId, stake, currency, at }
  return { ...accept(call, at), bet: { ...NEW_BET, owner: userId, state: 'open', at, requestId, placement } }
}
