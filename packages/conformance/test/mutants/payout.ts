/**
 * Computes the payout of a settlement and of a corrected settlement (interface.md, Resettle; L-1,
 * L-6).
 */
import type { BetCall } from './read-call.ts'
import { type Bet, has, type Placement, type Wallet } from './state.ts'

/** The new payout minus the present one. */
export function toPay(wallet: Wallet, call: BetCall, bet: Bet, placement: Placement): bigint {
  const paid = bet.state === 'settled' ? bet.payout : 0n
  const wanted = wantedBy(wallet, call, placement)
  if (bet.state !== 'settled') return wanted
  if (isOnTop(wallet, call, bet)) return wanted
  return wanted < paid && has(wallet, 'resettle-down-ignored') ? 0n : wanted - paid
}

/** A repeat gets here only if a fault pays it again. */
function isOnTop(wallet: Wallet, { amount, resultType }: BetCall, bet: Bet): boolean {
  const isSameAmount = bet.payout === amount
  if (isSameAmount && bet.resultType === resultType) return true
  if (isSameAmount) return has(wallet, 'resettle-other-type-pays')
  if (has(wallet, 'resettle-on-top')) return true
  if (bet.resultType === 'cashout' && has(wallet, 'result-after-cashout-on-top')) return true
  return resultType === 'cashout' && has(wallet, 'cashout-after-result-on-top')
}

/** The amount decides the payout (L-6). */
function wantedBy(wallet: Wallet, call: BetCall, { stake }: Placement): bigint {
  const { amount = 0n } = call
  switch (call.resultType) {
    case 'won':
      if (has(wallet, 'win-unpaid')) return 0n
      if (has(wallet, 'win-unit-more')) return amount + 1n
      if (has(wallet, 'win-unit-less')) return amount - 1n
      if (call.hasBonus && has(wallet, 'freebet-win-less-stake')) return amount - stake
      return has(wallet, 'win-adds-stake') ? amount + stake : amount
    case 'lost':
      return has(wallet, 'lost-amount-unpaid') ? 0n : amount
    case 'refund':
      if (has(wallet, 'refund-unpaid')) return 0n
      return has(wallet, 'refund-pays-stake') ? stake : amount
    case 'cashout':
      return has(wallet, 'cashout-unpaid') ? 0n : amount
    default:
      return amount // only if a fault accepted the type
  }
}
