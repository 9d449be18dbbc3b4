/**
 * Compares answers to new bets with the balance: an accepted bet needs its stake, and code 7 needs
 * a balance below the stake.
 */

import { type CallToWallet, getUnits } from '../live-call.ts'
import type { LiveBet } from './bet-history.ts'
import type { FundsCondition } from './bet-state.ts'
import { findEffectRange, limitBase, type PlayerBook } from './player-book.ts'

export interface FundsProblem {
  readonly kind: FundsCondition
  /** Minor units: the largest balance that is possible, or the least one for `no funds`. */
  readonly balance: bigint
}

/** Undefined if the answer is possible. The possible balances are then limited by the answer. */
export function checkFunds(
  book: PlayerBook,
  bet: LiveBet,
  call: CallToWallet,
  { needs, overlapping }: { needs: FundsCondition; overlapping: readonly CallToWallet[] },
): FundsProblem | undefined {
  const stake = getUnits(call)
  if (stake === undefined || call.currency !== book.player.currency) return undefined
  const { least, most } = findEffectRange(book, bet)
  if (needs === 'funds') {
    const effects = most + sumAmounts(book, overlapping.filter(mayTakeBack))
    const { high } = book.base
    if (high !== undefined && high + effects < stake) return { kind: needs, balance: high + effects }
    limitBase(book, { low: stake - effects })
    return undefined
  }
  const effects = least - sumAmounts(book, overlapping)
  const { low } = book.base
  if (low !== undefined && low + effects >= stake) return { kind: needs, balance: low + effects }
  limitBase(book, { high: stake - effects - 1n })
  return undefined
}

/** Results and Unsettles can take money back after this bet was accepted. */
function mayTakeBack({ operation }: CallToWallet): boolean {
  return operation === 'settle' || operation === 'unsettle'
}

/** An upper limit of the money that these calls move. */
function sumAmounts({ bets, player }: PlayerBook, calls: readonly CallToWallet[]): bigint {
  return calls.reduce((sum, call) => {
    if (call.currency !== undefined && call.currency !== player.currency) return sum
    const bet = bets.get(call.betId ?? '')
    const paid = bet?.possibilities.reduce((most, { state }) => (state.paid > most ? state.paid : most), 0n) ?? 0n
    return sum + (getUnits(call) ?? 0n) + paid + (call.operation === 'rollback' ? (bet?.stake ?? 0n) : 0n)
  }, 0n)
}
