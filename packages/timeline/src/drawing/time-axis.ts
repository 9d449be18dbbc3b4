/**
 * A timeline axis that shows the moments to scale. Where marks would overlap, the axis and its
 * ticks are stretched.
 */

import { type BalanceSteps, earlierEnd } from './balance-steps.ts'
import { formatTime } from './time-format.ts'
import {
  ARROW_OFFSET,
  ARROW_SPACING,
  type AxisTick,
  GUTTER,
  LABEL_GAP,
  LIMIT_MS,
  type MomentPosition,
  type TimelineAxis,
} from './timeline-axis.ts'
import { listMovedTransfers, measureText } from './timeline-labels.ts'
import type { TimelineMoment } from './timeline-moments.ts'

/** Pixels between two marks of the same kind. */
const MIN_MARK_DISTANCE = 18
const MIN_BAR = 4
/** In fewer pixels the end of the 5 s is invisible. */
const MIN_TRACK = 12

/** `endX` is the end of the last moment. */
export function layOutToScale(moments: readonly TimelineMoment[], steps: BalanceSteps, endX: number): TimelineAxis {
  const first = moments[0]?.at ?? 0
  const last = Math.max(...moments.map((one) => one.at + (one.kind === 'call' ? one.durationMs : 0)), first + 1)
  const begin = { at: first, x: Math.max(GUTTER, earlierEnd(steps) + LABEL_GAP - ARROW_OFFSET) }
  const perMs = (endX - begin.x) / (last - first)
  const xs = spreadMarks(moments, (at) => begin.x + (at - first) * perMs)
  const known = moments.map(({ at }, i) => ({ at, x: xs[i] ?? begin.x }))
  const knots = [begin, ...known, { at: last, x: Math.max(endX, ...xs) }]
  const xAt = (at: number) => {
    const i = knots.findLastIndex((knot) => knot.at < at)
    const from = knots[i] ?? begin
    const to = knots[i + 1] ?? from
    return to.at === from.at ? from.x : from.x + ((to.x - from.x) * (at - from.at)) / (to.at - from.at)
  }
  const spots = moments.map((moment, i): MomentPosition => {
    const x = xs[i] ?? begin.x
    if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined }
    const limit = moment.at + LIMIT_MS
    const isVisible = limit <= last && xAt(limit) - x > MIN_TRACK
    const width = Math.max(MIN_BAR, xAt(moment.at + moment.durationMs) - x)
    return { moment, x, width, limitX: isVisible ? xAt(limit) : undefined }
  })
  return { spots, ticks: computeTicks(first, last, xAt) }
}

/** The marks keep their order and do not overlap marks of their kind. */
function spreadMarks(moments: readonly TimelineMoment[], even: (at: number) => number): number[] {
  const free = { decision: 0, call: 0 }
  let before = 0
  return moments.map((moment) => {
    before = Math.max(even(moment.at), before, free[moment.kind])
    const arrows = moment.kind === 'call' ? listMovedTransfers(moment).length : 0
    free[moment.kind] = before + MIN_MARK_DISTANCE + ARROW_SPACING * Math.max(0, arrows - 1)
    return before
  })
}

const UNITS = [
  { name: 'ms', ms: 1, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500] },
  { name: 's', ms: 1_000, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'min', ms: 60_000, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'h', ms: 3_600_000, steps: [1, 2, 3, 6, 12] },
  { name: 'd', ms: 86_400_000, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
] as const
const STEPS = UNITS.flatMap(({ name, ms, steps }) => steps.map((each) => ({ name, each, ms: each * ms })))
/** Excludes the first tick. */
const MAX_TICKS = 6

/** Each label is a whole number of its unit, so 90 minutes never become "2 h". */
function computeTicks(first: number, last: number, xAt: (at: number) => number): AxisTick[] {
  const span = last - first
  const step = STEPS.find(({ ms }) => span / ms <= MAX_TICKS) ?? STEPS[STEPS.length - 1]
  const ticks: AxisTick[] = []
  let free = 0
  for (let i = 0; step !== undefined && i * step.ms <= span; i++) {
    const label = i === 0 ? formatTime(first) : `+${i * step.each} ${step.name}`
    const tick = { x: xAt(first + i * step.ms), label }
    if (tick.x < free) continue
    ticks.push(tick)
    free = tick.x + measureText('tl-tick-label', tick.label) + LABEL_GAP
  }
  return ticks
}
