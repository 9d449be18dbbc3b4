/** How the calls of a bet moved the player's balance. */
import { negated, sumOf } from '../protocol/decimal.ts'
import { amountText, signed } from './amounts.ts'
import { GUTTER } from './axis.ts'
import { widthOf } from './labels.ts'
import type { Moment } from './moments.ts'
import type { Transfer } from './sources.ts'

export interface Step {
  /** What the player had before and after it. */
  readonly before: string
  readonly after: string
  /** What moved it since the step before, and is not of this bet. */
  readonly others: string | undefined
}

/** By the moments that they are of. */
export type Steps = ReadonlyMap<Moment, Step>

/** Where the balance before all of it stands, left of the axis. */
export const EARLIER = GUTTER - 10
/** Pixels between the line of a step and the words beside it. */
export const BESIDE = 8

/** Several transfers of one call are one step. */
export function stepsOf(moments: readonly Moment[]): Steps {
  let earlier: Transfer | undefined
  const steps = new Map<Moment, Step>()
  for (const moment of moments) {
    const transfers = moment.kind === 'call' ? moment.transfers : []
    const [first] = transfers
    const last = transfers.at(-1)
    if (first === undefined || last === undefined) continue
    const before = earlierOf(first)
    steps.set(moment, { before, after: last.balance, others: earlier && moved(earlier, before, first) })
    earlier = last
  }
  return steps
}

/** Undefined of nothing, and where the wallet took the calls in another order than they were sent in. */
function moved(earlier: Transfer, before: string, next: Transfer): string | undefined {
  if (before === earlier.balance || next.at < earlier.at) return undefined
  return sumOf([before, negated(earlier.balance)])
}

/** What the ledger has after a transfer, less the transfer: exactly, for it is shown. */
function earlierOf({ amount, balance }: Transfer): string {
  return sumOf([balance, negated(amount)])
}

export function sayOthers(others: string): string {
  return `others ${signed(others)}`
}

/** Pixels left of its line. */
export function othersWidth({ others }: Step): number {
  return others === undefined ? 0 : widthOf('tl-detail', sayOthers(others)) + BESIDE
}

export function valueWidth(amount: string, earlier = ''): number {
  return widthOf('tl-value', `${earlier}${amountText(amount)}`) + BESIDE
}

/** Pixels from the left, where nothing was moved none. */
export function earlierEnd(steps: Steps): number {
  const [first] = steps.values()
  return first === undefined ? 0 : EARLIER + valueWidth(first.before)
}
