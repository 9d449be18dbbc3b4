/**
 * The model's rules for Rollback: it returns the stored stake once, and leaves a tombstone for an
 * unknown bet.
 */
import type { Bet, PlacedBet } from './bet.ts'
import type { ReversalCall, Verdict } from './call.ts'
import { addMoney } from './players.ts'
import { keyOf, noEffect, refuse, repeat, type State, took } from './world.ts'

export function rollback(state: State, call: ReversalCall, bet: Bet | undefined): Verdict {
  if (bet === undefined) {
    const verdict = took(state)
    state.world.bets.set(keyOf(call.player, call.bet), { status: 'tombstone', cancelled: verdict.moment })
    return verdict
  }
  if (bet.cancelled !== undefined) return repeat(state, bet.cancelled)
  if (bet.status === 'settled') return refuse(state, 8)
  if (bet.status === 'open') return cancel(state, call, bet)
  const verdict = noEffect(state)
  bet.cancelled = verdict.moment
  return verdict
}

function cancel(state: State, call: ReversalCall, bet: PlacedBet): Verdict {
  if (call.currency !== undefined && call.currency !== bet.currency) return refuse(state, 5, 'I-4: another currency')
  if (bet.funder === 'player') addMoney(state.world.players.get(call.player)!, bet.currency, bet.stake)
  bet.status = 'cancelled'
  const verdict = took(state)
  bet.cancelled = verdict.moment
  return verdict
}
