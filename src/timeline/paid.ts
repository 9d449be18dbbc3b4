/** What a bet has paid its player and taken back, in order: each correction takes the payout before it back (L-1). */

import { sumOf } from '../protocol/decimal.ts'
import { amountText, isZero, moneyText } from './amounts.ts'
import { isArchived } from './history.ts'
import type { Transfer, WalletBet } from './sources.ts'

export interface Paid {
  /** Payouts and their ways back that moved the player's money. */
  readonly moves: readonly Transfer[]
  readonly payouts: number
  readonly takenBack: number
  /** The payout that stands, of those that moved the player's money. */
  readonly standing: Transfer | undefined
}

const isPayout = ({ kind }: Transfer) => kind === 'payout'

/** Nothing is told where files say it (O-13). */
export function paidOf(bet: WalletBet): Paid {
  const history = isArchived(bet) ? [] : bet.history
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
export const timesOf = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Beside a payout: undefined where nothing was ever paid. */
export function countsOf({ payouts, takenBack }: Paid): string | undefined {
  if (payouts === 0) return undefined
  return takenBack === 0 ? `paid ${timesOf(payouts)}` : `paid ${timesOf(payouts)}, taken back ${timesOf(takenBack)}`
}

/** Beside a stake: of one that promotions paid nothing, for it took nothing of the player. */
export function takenOf(bet: WalletBet): string | undefined {
  if (isArchived(bet)) return undefined
  const moved = bet.history.flatMap(({ transfers }) => transfers).filter(({ amount }) => !isZero(amount))
  const count = (wanted: string) => moved.filter(({ kind }) => kind === wanted).length
  const [taken, back] = [count('stake'), count('refund')]
  if (taken === 0) return undefined
  return back === 0 ? `taken ${timesOf(taken)}` : `taken ${timesOf(taken)}, refunded ${timesOf(back)}`
}

/** Movements that a sentence has room for. */
const MOST_TOLD = 6

/** The way to what stands now, where a payout was taken back; undefined where none was. */
export function correctionsOf({ moves, payouts, takenBack, standing }: Paid): string | undefined {
  const [first] = moves
  if (takenBack === 0 || first === undefined) return undefined
  const { currency } = first
  if (standing === undefined) {
    const all = moneyText(sumOf(moves.filter(isPayout).map(({ amount }) => amount)), currency)
    const what = payouts === 1 ? `${all} was paid first` : `${all} was paid in ${payouts} payouts`
    return `${what}; all of it was taken back`
  }
  const told = moves.map(({ kind, amount }, i) => {
    if (kind === 'payout_reversal')
      return `taken back ${amountText(amount.slice(1))}${i === 1 ? ' (result corrected)' : ''}`
    const isAgain = moves.slice(0, i).some((one) => isPayout(one) && one.amount === amount)
    return `paid ${amountText(amount)}${isAgain ? ' again' : ''}`
  })
  const way = moves.length > MOST_TOLD ? `paid ${payouts} times, taken back ${takenBack} times` : told.join(', ')
  return `${way.charAt(0).toUpperCase()}${way.slice(1)}: the player has ${moneyText(standing.amount, currency)} of it, once`
}
