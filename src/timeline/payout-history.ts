/** What a bet has paid its player and taken back, in order: each correction takes the payout before it back (L-1). */

import { sumDecimals } from '../protocol/values/decimal.ts'
import { amountText, isZero, moneyText } from './amount-text.ts'
import { hasArchivedTransfers } from './bet-history.ts'
import type { TransferView, WalletBetDetail } from './bet-sources.ts'

export interface PayoutHistory {
  /** Payouts and their ways back that moved the player's money. */
  readonly moves: readonly TransferView[]
  readonly payouts: number
  readonly takenBack: number
  /** The payout that stands, of those that moved the player's money. */
  readonly standing: TransferView | undefined
}

const isPayout = ({ kind }: TransferView) => kind === 'payout'

/** Nothing is told where files say it (O-13). */
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

/** "once", "2 times": said, for "did we pay it twice?" is asked often. */
export const formatTimes = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Beside a payout: undefined where nothing was ever paid. */
export function describePayoutCounts({ payouts, takenBack }: PayoutHistory): string | undefined {
  if (payouts === 0) return undefined
  return takenBack === 0
    ? `paid ${formatTimes(payouts)}`
    : `paid ${formatTimes(payouts)}, taken back ${formatTimes(takenBack)}`
}

/** Beside a stake: of one that promotions paid nothing, for it took nothing of the player. */
export function describeStakeCounts(bet: WalletBetDetail): string | undefined {
  if (hasArchivedTransfers(bet)) return undefined
  const moved = bet.history.flatMap(({ transfers }) => transfers).filter(({ amount }) => !isZero(amount))
  const count = (countedKind: string) => moved.filter(({ kind }) => kind === countedKind).length
  const [taken, back] = [count('stake'), count('refund')]
  if (taken === 0) return undefined
  return back === 0 ? `taken ${formatTimes(taken)}` : `taken ${formatTimes(taken)}, refunded ${formatTimes(back)}`
}

/** Movements that a sentence has room for. */
const MAX_LISTED = 6

/** The way to what stands now, where a payout was taken back; undefined where none was. */
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
