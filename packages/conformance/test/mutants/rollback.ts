/**
 * Decides a Rollback, which refunds the stored stake once (interface.md; decisions.md, "The life of
 * a bet", last column).
 */
import { accept, type Decision, findBet, move, refuse, repeat, sessionOf, tokenProblem } from './decision.ts'
import { NEW_BET } from './place.ts'
import type { BetCall } from './read-call.ts'
import { type Bet, has, isForgotten, nowOf, type Placement, type Wallet } from './state.ts'

export function rollback(wallet: Wallet, call: BetCall): Decision {
  if (isRefusedByFault(wallet, call)) return refuse(5)
  const bet = findBet(wallet, call)
  if (bet === undefined) return rollbackUnknown(wallet, call)
  switch (bet.state) {
    case 'refused':
      return rollbackRefused(wallet, call, bet)
    case 'cancelled':
      return rollbackCancelled(wallet, call, bet)
    case 'settled':
      return rollbackSettled(wallet, call, bet)
    case 'open':
      if (bet.wasUnsettled && has(wallet, 'rollback-unsettled-refused')) return refuse(5)
      return bet.placement ? cancel(wallet, call, bet, bet.placement) : refuse(5)
    default:
      return bet.state satisfies never
  }
}

/** Only a fault checks token or player (L-4, L-5). */
function isRefusedByFault(wallet: Wallet, call: BetCall): boolean {
  if (call.token === undefined && has(wallet, 'rollback-token-demanded')) return true
  const isDead = call.token !== undefined && tokenProblem(wallet, sessionOf(wallet, call), call.userId) !== undefined
  if (isDead && has(wallet, 'rollback-live-token-demanded')) return true
  const isBlocked = wallet.players.get(call.userId)?.status === 'blocked'
  return isBlocked && has(wallet, 'blocked-player-rollback-refused')
}

/** The tombstone rejects the late Place bet. */
function rollbackUnknown(wallet: Wallet, call: BetCall): Decision {
  if (has(wallet, 'rollback-unknown-refused')) return refuse(5)
  const at = nowOf(wallet)
  const accepted = accept(call, at)
  const player = wallet.players.get(call.userId)
  if (player !== undefined && call.amount !== undefined && has(wallet, 'rollback-unknown-credits'))
    return { ...accepted, moves: [move(wallet, player, call.currency ?? player.currency, call.amount)] }
  return has(wallet, 'tombstone-missing') ? accepted : { ...accepted, bet: tombstone(call, at) }
}

function tombstone({ userId, requestId }: BetCall, at: string): Bet {
  const state = { owner: userId, state: 'cancelled', at, requestId } as const
  return { ...NEW_BET, ...state }
}

function rollbackRefused(wallet: Wallet, call: BetCall, bet: Bet): Decision {
  const player = wallet.players.get(call.userId)
  const refunds = has(wallet, 'rollback-refused-bet-refunds') && player !== undefined && call.amount !== undefined
  const repeated = repeat(wallet, call, bet.at)
  if (!refunds) return repeated
  return { ...repeated, moves: [move(wallet, player, call.currency ?? player.currency, call.amount)] }
}

function rollbackCancelled(wallet: Wallet, call: BetCall, bet: Bet): Decision {
  const isNewRequest = bet.requestId !== call.requestId
  const isKept = !isForgotten(wallet, bet.at, 'rollback-forgotten')
  const again =
    !isKept || has(wallet, 'rollback-repeat-refunds') || (isNewRequest && has(wallet, 'rollback-keyed-by-request'))
  if (again && bet.placement !== undefined) return cancel(wallet, call, bet, bet.placement)
  return has(wallet, 'rollback-repeat-refused') ? refuse(5) : repeat(wallet, call, bet.at)
}

function rollbackSettled(wallet: Wallet, call: BetCall, bet: Bet): Decision {
  if (bet.placement === undefined || !has(wallet, 'rollback-settled-refunds'))
    return refuse(has(wallet, 'rollback-settled-refused') ? 5 : 8)
  return cancel(wallet, call, bet, bet.placement)
}

function cancel(wallet: Wallet, call: BetCall, bet: Bet, { stake, currency }: Placement): Decision {
  const isOther = call.currency !== undefined && call.currency !== currency
  // another currency than the bet's is code 5 (I-4)
  if (isOther && !has(wallet, 'rollback-currency-unchecked')) return refuse(5)
  if (call.amount !== stake && has(wallet, 'rollback-amount-demanded')) return refuse(5)
  const owner = wallet.players.get(bet.owner)
  if (owner === undefined) return refuse(5)
  const refund = refundOf(wallet, call, stake)
  const purse = has(wallet, 'rollback-active-currency') ? owner.currency : currency
  const at = nowOf(wallet)
  const { requestId } = call
  const cancelled = { ...bet, state: 'cancelled', at, requestId } as const
  return { ...accept(call, at), moves: [move(wallet, owner, purse, refund)], bet: cancelled }
}

function refundOf(wallet: Wallet, { amount }: BetCall, stake: bigint): bigint {
  if (has(wallet, 'rollback-ignored')) return 0n
  if (has(wallet, 'refund-unit-more')) return stake + 1n
  if (has(wallet, 'refund-unit-less')) return stake - 1n
  return amount !== undefined && has(wallet, 'rollback-refunds-the-amount-asked') ? amount : stake
}
