/** The model's rules for Settle and Unsettle of a placed bet (L-1 to L-4). */
import { type PlacedBet, playersShare, type Settlement } from './bet.ts'
import type { ReversalCall, SettleCall, Verdict } from './call.ts'
import { addMoney, balanceOf, minorUnits, tokenProblem } from './players.ts'
import { dayOf, noEffect, refuse, repeat, type State, took } from './world.ts'

export function settle(state: State, call: SettleCall, bet: PlacedBet, now: Date): Verdict {
  const amount = minorUnits(call.amount, bet.currency)!
  const earlier = bet.settlement
  const identical = earlier?.amount === amount && earlier.resultType === call.resultType
  if (earlier !== undefined && identical) return repeat(state, earlier.moment, 'L-1: identical')
  if (call.resultType === 'cashout') {
    const problem = tokenProblem(state.world.sessions.get(call.token ?? ''), call.player, now)
    if (problem !== undefined) return refuse(state, problem) // a cashout needs a live token (L-4)
  }
  if (earlier !== undefined && bet.locked) return refuse(state, 20, 'L-3: locked')
  const settlement = { amount, resultType: call.resultType, moment: state.world.moments + 1 }
  if (earlier !== undefined) state.rule = earlier.amount === amount ? 'L-1: another type' : 'L-1: another amount'
  // The player may lack the money (L-2).
  if (!pay(state, call.player, bet, settlement, dayOf(now))) return refuse(state, 21)
  // The payout is paid, with an anomaly (W-49).
  if (bet.most !== undefined && amount > bet.most + 1n) state.anomaly = 'payout_above_odds'
  bet.status = 'settled'
  return took(state)
}

export function unsettle(state: State, call: ReversalCall, bet: PlacedBet, now: Date): Verdict {
  if (bet.status === 'open') return bet.unsettled === undefined ? noEffect(state) : repeat(state, bet.unsettled)
  if (bet.locked) return refuse(state, 20, 'L-3: locked')
  if (!pay(state, call.player, bet, undefined, dayOf(now))) return refuse(state, 21)
  bet.status = 'open'
  const verdict = took(state)
  bet.unsettled = verdict.moment
  return verdict
}

/** Replaces the settlement. False if that would take money that is missing (L-2). */
function pay(state: State, playerId: string, bet: PlacedBet, settlement: Settlement | undefined, day: string): boolean {
  const player = state.world.players.get(playerId)!
  const difference = playersShare(bet, settlement) - playersShare(bet, bet.settlement)
  const balance = balanceOf(player, bet.currency) + difference
  if (state.settings.clawback === 'refuse' && difference < 0n && balance < 0n) return false
  if (difference < 0n && balance < 0n) state.rule = 'L-2: taken below zero'
  if (bet.funder === 'promotions' && settlement?.resultType === 'refund') state.rule = 'M-4: refunded to promotions'
  addMoney(player, bet.currency, difference)
  const turnover = `${bet.currency} ${day}`
  player.paid.set(turnover, (player.paid.get(turnover) ?? 0n) + difference)
  if (settlement === undefined) delete bet.settlement
  else bet.settlement = settlement
  return true
}
