/** What both scales of a bet's picture have in common: where a moment may stand, in pixels. */
import type { TimelineMoment } from './timeline-moments.ts'

export interface MomentPosition {
  readonly moment: TimelineMoment
  /** Where it begins. */
  readonly x: number
  /** Of a call: how long its bar is. */
  readonly width: number
  /** Of a call: where 5 s are over, if that is in sight. */
  readonly limitX: number | undefined
}

export interface AxisTick {
  readonly x: number
  readonly label: string
}

export interface TimelineAxis {
  readonly spots: readonly MomentPosition[]
  readonly ticks: readonly AxisTick[]
}

/** Milliseconds after which the platform gives up. */
export const LIMIT_MS = 5_000
/** Of the names of the lanes. */
export const GUTTER = 104
/** Pages, and the kit's report, are usually as wide; and what stays free at its end. */
export const MIN_WIDTH = 920
export const END_MARGIN = 28
/** Between the words of two moments, at least. */
export const LABEL_GAP = 12
/** From where a call begins to its arrow, and to a further one. */
export const ARROW_OFFSET = 4
export const ARROW_SPACING = 12
/** The bar of a call that is still to come. */
export const DASHED_BAR = 56
