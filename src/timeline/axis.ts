/** What both scales of a bet's picture have in common: where a moment may stand, in pixels. */
import type { Moment } from './moments.ts'

export interface Spot {
  readonly moment: Moment
  /** Where it begins. */
  readonly x: number
  /** Of a call: how long its bar is. */
  readonly width: number
  /** Of a call: where 5 s are over, if that is in sight. */
  readonly limitX: number | undefined
}

export interface Tick {
  readonly x: number
  readonly label: string
}

export interface Axis {
  readonly spots: readonly Spot[]
  readonly ticks: readonly Tick[]
}

/** Milliseconds after which the platform gives up. */
export const LIMIT_MS = 5_000
/** Of the names of the lanes. */
export const GUTTER = 104
/** Pages, and the kit's report, are usually as wide; and what stays free at its end. */
export const LEAST_WIDTH = 920
export const END = 28
/** Between the words of two moments, at least. */
export const GAP = 12
/** From where a call begins to its arrow, and to a further one. */
export const ARROW = 4
export const NEXT_ARROW = 12
/** The bar of a call that is still to come. */
export const DASHED_BAR = 56
