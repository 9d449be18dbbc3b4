/**
 * Decides a Settle and a corrected Settle (L-1 to L-6; interface.md; decisions.md, "The life of a
 * bet", second column).
 */
import {
  accept,
  type Decision,
  findBet,
  move,
  paysSender,
  refuse,
  repeat,
  sessionOf,
  tokenProblem,
} from './decision.ts'
import type { MutantId } from './mutants.ts'
import { toPay } from './payout.ts'
import type { BetCall } from './read-call.ts'
import { type Bet, has, isForgotten, nowOf, type Placement, purseOf, type Wallet } from './state.ts'

export function settle(wallet: Wallet, call: BetCall): Decision {
  const refusal = refusalByFault(wallet, call)
  if (refusal !== undefined) return refuse(refusal)
  const bet = findBet(wallet, call)
  if (bet === undefined) return settleUnknown(wallet, call)
  switch (bet.state) {
    case 'refused':
      return has(wallet, 'settle-refused-pays') ? payUnplaced(wallet, call) : refuse(5)
    case 'cancelled':
      return settleCancelled(wallet, call, bet)
    case 'open':
    case 'settled':
      return bet.placement ? settlePlaced(wallet, call, bet, bet.placement) : refuse(5)
    default:
      return bet.state satisfies never
  }
}

/** Faults that check the token of a Settle other than a cashout, or the player (L-4, L-5). */
function refusalByFault(wallet: Wallet, call: BetCall): number | undefined {
  const problem = tokenProblem(wallet, sessionOf(wallet, call), call.userId)
  const { resultType } = call
  const isDemanded =
    (resultType === 'won' && has(wallet, 'won-token-demanded')) ||
    (resultType === 'lost' && has(wallet, 'lost-token-demanded')) ||
    (resultType === 'refund' && has(wallet, 'refund-token-demanded'))
  if (isDemanded && problem !== undefined) return problem
  const isBlocked = wallet.players.get(call.userId)?.status === 'blocked'
  return isBlocked && has(wallet, 'blocked-player-settle-refused') ? 9 : undefined
}

function settleUnknown(wallet: Wallet, call: BetCall): Decision {
  if (has(wallet, 'settle-unknown-pays')) return payUnplaced(wallet, call)
  return has(wallet, 'settle-unknown-ok') ? accept(call, nowOf(wallet)) : refuse(5)
}

function payUnplaced(wallet: Wallet, call: BetCall): Decision {
  const player = wallet.players.get(call.userId)
  if (player === undefined || call.currency === undefined) return refuse(5)
  return { ...accept(call, nowOf(wallet)), moves: [move(wallet, player, call.currency, call.amount ?? 0n)] }
}

function settleCancelled(wallet: Wallet, call: BetCall, bet: Bet): Decision {
  const late = bet.acknowledged.get(contentOf(call))
  if (late !== undefined) return repeat(wallet, call, late)
  const refused = refusalAgain(wallet, call, bet)
  if (refused !== undefined) return refused
  if (has(wallet, 'settle-cancelled-pays')) return payUnplaced(wallet, call)
  return has(wallet, 'settle-cancelled-ok') ? accept(call, nowOf(wallet)) : refuse(20)
}

/** Calls with the same content are repeats (I-2). */
export function contentOf({ requestId, operation, amount, currency, resultType }: BetCall): string {
  return JSON.stringify([requestId, operation, String(amount), currency, resultType])
}

function settlePlaced(wallet: Wallet, call: BetCall, bet: Bet, placement: Placement): Decision {
  const late = bet.acknowledged.get(contentOf(call))
  const paysAgain = bet.state === 'settled' && paysRepeat(wallet, call, bet)
  if (late !== undefined && !paysAgain && !appliesLate(wallet, late)) return repeat(wallet, call, late)
  const refused = late === undefined ? refusalAgain(wallet, call, bet) : undefined
  if (refused !== undefined) return refused
  const isOther = call.currency !== placement.currency
  // another currency than the bet's is code 5 (I-4)
  if (isOther && !has(wallet, 'settle-currency-unchecked')) return refuse(5)
  if (!paysAgain && isKnownResult(wallet, call, bet)) {
    if (bet.locked && has(wallet, 'lock-refuses-repeat')) return refuse(20)
    return remember(call, bet, repeat(wallet, call, bet.at))
  }
  const problem = call.resultType === 'cashout' ? cashoutProblem(wallet, call) : undefined
  if (problem !== undefined) return refuse(problem)
  // a locked bet is 20 (L-3)
  if (bet.state === 'settled' && bet.locked && !has(wallet, 'lock-ignored')) return refuseForGood(call, bet, 20)
  return apply(wallet, call, bet, placement)
}

function appliesLate(wallet: Wallet, at: string): boolean {
  return has(wallet, 'late-repeat-applied') || isForgotten(wallet, at, 'requests-forgotten')
}

function paysRepeat(wallet: Wallet, call: BetCall, bet: Bet): boolean {
  if (bet.payout !== call.amount || bet.resultType !== call.resultType) return false
  if (isForgotten(wallet, bet.at, 'settle-forgotten')) return true
  return (
    has(wallet, 'settle-repeat-pays') || (bet.requestId !== call.requestId && has(wallet, 'settle-keyed-by-request'))
  )
}

/** True for the same amount and result type (L-1); a fault accepts others as the same. */
function isKnownResult(wallet: Wallet, { amount, resultType }: BetCall, bet: Bet): boolean {
  const isSameType = bet.resultType === resultType
  if (bet.wasUnsettled && bet.state === 'open' && isSameType && bet.payout === amount)
    return has(wallet, 'unsettle-leaves-settled')
  if (bet.state !== 'settled') return false
  if (has(wallet, 'resettle-ignored')) return true
  if (isSameType && has(wallet, 'resettle-compares-type')) return true
  if (bet.payouts.some((paid) => paid === amount) && has(wallet, 'resettle-history')) return true
  return isSameType && bet.payout === amount
}

function cashoutProblem(wallet: Wallet, call: BetCall): number | undefined {
  if (has(wallet, 'cashout-token-unchecked')) return undefined
  const session = sessionOf(wallet, call)
  if (call.token === undefined) return undefined // only if a fault accepted the shape
  const owner = has(wallet, 'cashout-token-of-another') ? session?.userId : call.userId
  const problem = tokenProblem(wallet, session, owner ?? call.userId)
  return session?.userId === call.userId && has(wallet, 'cashout-expired-token') ? undefined : problem
}

function apply(wallet: Wallet, call: BetCall, bet: Bet, placement: Placement): Decision {
  const payee = wallet.players.get(paysSender(wallet) ? call.userId : bet.owner)
  if (payee === undefined || call.amount === undefined) return refuse(5)
  const currency = payCurrency(wallet, call, placement, payee.currency)
  const purse = purseOf(wallet, payee, currency)
  const wanted = toPay(wallet, call, bet, placement)
  const units = takeable(wallet, wanted, purse.units(), 'clawback-partial')
  // missing money is 21 (L-2)
  if (units === undefined) return refuseForGood(call, bet, has(wallet, 'clawback-code-7') ? 7 : 21)
  const at = nowOf(wallet)
  const { requestId, resultType = '' } = call
  const payout = call.amount
  const result = { state: 'settled', at, requestId, payout, resultType, payouts: [...bet.payouts, payout] } as const
  const results = bet.results + 1
  const isClosed = !(leavesOpen(wallet, call) && bet.state === 'open')
  const decided = { ...accept(call, at), moves: [move(wallet, payee, currency, units)] }
  return remember(call, { ...bet, ...(isClosed && result), results }, decided)
}

function payCurrency(wallet: Wallet, call: BetCall, { currency }: Placement, active: string): string {
  return has(wallet, 'settle-active-currency') ? active : (call.currency ?? currency)
}

/** The whole amount or nothing (L-2). Undefined if the money is gone. */
export function takeable(wallet: Wallet, units: bigint, balance: bigint, partial: MutantId): bigint | undefined {
  if (units >= 0n || balance + units >= 0n) return units
  if (wallet.clawback === 'allow-negative') return units
  return has(wallet, partial) ? -balance : undefined
}

function leavesOpen(wallet: Wallet, { amount, resultType }: BetCall): boolean {
  if (amount === 0n && has(wallet, 'loss-leaves-open')) return true
  return resultType === 'cashout' && has(wallet, 'cashout-leaves-open')
}

/** Every acknowledged settle and unsettle is remembered for its late repeats (I-2). */
export function remember(call: BetCall, bet: Bet, decision: Decision): Decision {
  if (decision.answer.kind !== 'bet') return decision
  const acknowledged = new Map(bet.acknowledged).set(contentOf(call), decision.answer.at)
  return { ...decision, bet: { ...bet, acknowledged } }
}

/** A late copy gets the first refusal, once another result was applied (I-2). */
export function refuseForGood(call: BetCall, bet: Bet, code: number): Decision {
  const { results } = bet
  const refusedForGood = new Map([[contentOf(call), { code, results }], ...bet.refusedForGood])
  return { ...refuse(code), bet: { ...bet, refusedForGood } }
}

export function refusalAgain(wallet: Wallet, call: BetCall, bet: Bet): Decision | undefined {
  const refused = bet.refusedForGood.get(contentOf(call))
  if (refused === undefined || has(wallet, 'refused-result-applied-late')) return undefined
  return refused.results < bet.results || has(wallet, 'refused-result-final') ? refuse(refused.code) : undefined
}
