/**
 * The payouts of a bet and their reversals. Each corrected result reverses the payout before it
 * (L-1).
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { amountText, isZero, moneyText } from './amount-text.ts'
import { hasArchivedTransfers } from './bet-history.ts'
import type { TransferView, WalletBetDetail } from './bet-sources.ts'

export interface PayoutHistory {
  /** Payouts and reversals that changed the player's balance. */
  readonly moves: readonly TransferView[]
  readonly payouts: number
  readonly takenBack: number
  /** The payout in effect, if it changed the balance. */
  readonly standing: TransferView | undefined
}

const isPayout = ({ kind }: TransferView) => kind === 'payout'

/** Empty if transfers are archived (O-13). */
export function toPayoutHistory(bet: WalletBetDetail): PayoutHistory {
  const history = hasArchivedTransfers(bet) ? [] : bet.history
  const moves = history
    .flatMap(({ transfers }) => transfers)
    .filter(({ kind, amount }) => (kind === 'payout' || kind === 'payout_reversal') && !isZero(amount))
  const payouts = moves.filter(isPayout).length
  const last = moves.at(-1)
  return {
    ...{ moves, payouts, takenBack: moves.length - payouts },
    standing: last !== undefined && isPayout(last) ? last : undefined,
  }
}

/** The text answers the frequent question "did we pay it twice?". */
export const formatTimes = (count: number) => (count === 1 ? 'once' : `${count} times`)

export function describePayoutCounts({ payouts, takenBack }: PayoutHistory): string | undefined {
  if (payouts === 0) return undefined
  return takenBack === 0
    ? `paid ${formatTimes(payouts)}`
    : `paid ${formatTimes(payouts)}, taken back ${formatTimes(takenBack)}`
}

/** Undefined for a stake that promotions paid, because it debited nothing from the player. */
export function describeStakeCounts(bet: WalletBetDetail): string | undefined {
  if (hasArchivedTransfers(bet)) return undefined
  const moved = bet.history.flatMap(({ transfers }) => transfers).filter(({ amount }) => !isZero(amount))
  const count = (countedKind: string) => moved.filter(({ kind }) => kind === countedKind).length
  const [taken, back] = [count('stake'), count('refund')]
  if (taken === 0) return undefined
  return back === 0 ? `taken ${formatTimes(taken)}` : `taken ${formatTimes(taken)}, refunded ${formatTimes(back)}`
}

/** The most transfers in one sentence. */
const MAX_LISTED = 6

/** Undefined if no payout was reversed. */
export function describeCorrections({ moves, payouts, takenBack, standing }: PayoutHistory): string | undefined {
  const [first] = moves
  if (takenBack === 0 || first === undefined) return undefined
  const { currency } = first
  if (standing === undefined) {
    const all = moneyText(sumDecimals(moves.filter(isPayout).map(({ amount }) => amount)), currency)
    const beginning = payouts === 1 ? `${all} was paid first` : `${all} was paid in ${payouts} payouts`
    return `${beginning}; all of it was taken back`
  }
  const steps = moves.map(({ kind, amount }, i) => {
    if (kind === 'payout_reversal')
      return `taken back ${amountText(amount.slice(1))}${i === 1 ? ' (result corrected)' : ''}`
    const isAgain = moves.slice(0, i).some((one) => isPayout(one) && one.amount === amount)
    return `paid ${amountText(amount)}${isAgain ? ' again' : ''}`
  })
  const way = moves.length > MAX_LISTED ? `paid ${payouts} times, taken back ${takenBack} times` : steps.join(', ')
  return `${way.charAt(0).toUpperCase()}${way.slice(1)}: the player has ${moneyText(standing.amount, currency)} of it, once`
}
