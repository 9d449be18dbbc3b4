/**
 * Types and pixel sizes that both kinds of timeline axis share. time-axis.ts is to scale;
 * sequence-axis.ts shows only the order.
 */
import type { TimelineMoment } from './timeline-moments.ts'

export interface MomentPosition {
  readonly moment: TimelineMoment
  /** The left end. */
  readonly x: number
  /** The length of a call's bar; 0 for a decision. */
  readonly width: number
  /** The end of a call's 5 s. Undefined for a decision, or if outside the picture. */
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

/** The platform's time-out for a call. */
export const LIMIT_MS = 5_000
/** The width of the lanes' names. */
export const GUTTER = 104
/** The usual width of pages and of the conformance report. */
export const MIN_WIDTH = 920
export const END_MARGIN = 28
/** The least distance between two texts. */
export const LABEL_GAP = 12
/** From the start of a call to its arrow, and between arrows. */
export const ARROW_OFFSET = 4
export const ARROW_SPACING = 12
/** The bar of a future call. */
export const DASHED_BAR = 56
