/** How the calls of a bet moved the player's balance. */
import { negateDecimal, sumDecimals } from '../../protocol/values/decimal.ts'
import { amountText, formatSigned } from '../amount-text.ts'
import type { TransferView } from '../bet-sources.ts'
import { GUTTER } from './timeline-axis.ts'
import { measureText } from './timeline-labels.ts'
import type { TimelineMoment } from './timeline-moments.ts'

export interface BalanceStep {
  /** What the player had before and after it. */
  readonly before: string
  readonly after: string
  /** What moved it since the step before, and is not of this bet. */
  readonly others: string | undefined
}

/** By the moments that they are of. */
export type BalanceSteps = ReadonlyMap<TimelineMoment, BalanceStep>

/** Where the balance before all of it stands, left of the axis. */
export const EARLIER_X = GUTTER - 10
/** Pixels between the line of a step and the words beside it. */
export const LABEL_OFFSET = 8

/** Several transfers of one call are one step. */
export function computeBalanceSteps(moments: readonly TimelineMoment[]): BalanceSteps {
  let earlier: TransferView | undefined
  const steps = new Map<TimelineMoment, BalanceStep>()
  for (const moment of moments) {
    const transfers = moment.kind === 'call' ? moment.transfers : []
    const [first] = transfers
    const last = transfers.at(-1)
    if (first === undefined || last === undefined) continue
    const before = balanceBefore(first)
    steps.set(moment, { before, after: last.balance, others: earlier && otherMovement(earlier, before, first) })
    earlier = last
  }
  return steps
}

/** Undefined of nothing, and where the wallet took the calls in another order than they were sent in. */
function otherMovement(earlier: TransferView, before: string, next: TransferView): string | undefined {
  if (before === earlier.balance || next.at < earlier.at) return undefined
  return sumDecimals([before, negateDecimal(earlier.balance)])
}

/** What the ledger has after a transfer, less the transfer: exactly, for it is shown. */
function balanceBefore({ amount, balance }: TransferView): string {
  return sumDecimals([balance, negateDecimal(amount)])
}

export function describeOthers(others: string): string {
  return `others ${formatSigned(others)}`
}

/** Pixels left of its line. */
export function othersWidth({ others }: BalanceStep): number {
  return others === undefined ? 0 : measureText('tl-detail', describeOthers(others)) + LABEL_OFFSET
}

export function valueWidth(amount: string, earlier = ''): number {
  return measureText('tl-value', `${earlier}${amountText(amount)}`) + LABEL_OFFSET
}

/** Pixels from the left, where nothing was moved none. */
export function earlierEnd(steps: BalanceSteps): number {
  const [first] = steps.values()
  return first === undefined ? 0 : EARLIER_X + valueWidth(first.before)
}
