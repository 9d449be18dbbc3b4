/** Computes how the calls of a bet changed the player's balance. */
import { negateDecimal, sumDecimals } from '@purser/protocol/values/decimal'
import { amountText, formatSigned } from '../amount-text.ts'
import type { TransferView } from '../bet-sources.ts'
import { GUTTER } from './timeline-axis.ts'
import { measureText } from './timeline-labels.ts'
import type { TimelineMoment } from './timeline-moments.ts'

export interface BalanceStep {
  readonly before: string
  readonly after: string
  /** Changes since the previous step that are not part of this bet. */
  readonly others: string | undefined
}

export type BalanceSteps = ReadonlyMap<TimelineMoment, BalanceStep>

/** Pixels to the text of the first balance, left of the axis. */
export const EARLIER_X = GUTTER - 10
/** Pixels between a step's line and its text. */
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

/** Undefined if nothing else changed, or if the wallet processed the calls in another order. */
function otherMovement(earlier: TransferView, before: string, next: TransferView): string | undefined {
  if (before === earlier.balance || next.at < earlier.at) return undefined
  return sumDecimals([before, negateDecimal(earlier.balance)])
}

/** The value is exact, because it is shown. */
function balanceBefore({ amount, balance }: TransferView): string {
  return sumDecimals([balance, negateDecimal(amount)])
}

export function describeOthers(others: string): string {
  return `others ${formatSigned(others)}`
}

/** Pixels left of the step's line. */
export function othersWidth({ others }: BalanceStep): number {
  return others === undefined ? 0 : measureText('tl-detail', describeOthers(others)) + LABEL_OFFSET
}

export function valueWidth(amount: string, earlier = ''): number {
  return measureText('tl-value', `${earlier}${amountText(amount)}`) + LABEL_OFFSET
}

/** Pixels; 0 if no money moved. */
export function earlierEnd(steps: BalanceSteps): number {
  const [first] = steps.values()
  return first === undefined ? 0 : EARLIER_X + valueWidth(first.before)
}
