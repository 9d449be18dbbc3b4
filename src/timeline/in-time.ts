/** Every moment where its time is, on an even axis; where marks would stand on each other the axis is stretched, with its ticks. */
import { ARROW, type Axis, GAP, GUTTER, LIMIT_MS, NEXT_ARROW, type Spot, type Tick } from './axis.ts'
import { movedBy, widthOf } from './labels.ts'
import type { Moment } from './moments.ts'
import { timeOf } from './spans.ts'
import { earlierEnd, type Steps } from './steps.ts'

/** Between two marks of one kind. */
const APART = 18
const LEAST_BAR = 4
/** In less, nobody sees where 5 s end. */
const LEAST_TRACK = 12

/** `endX`: where the last of them is over. */
export function inTime(moments: readonly Moment[], steps: Steps, endX: number): Axis {
  const first = moments[0]?.at ?? 0
  const last = Math.max(...moments.map((one) => one.at + (one.kind === 'call' ? one.durationMs : 0)), first + 1)
  const begin = { at: first, x: Math.max(GUTTER, earlierEnd(steps) + GAP - ARROW) }
  const perMs = (endX - begin.x) / (last - first)
  const xs = apart(moments, (at) => begin.x + (at - first) * perMs)
  const known = moments.map(({ at }, i) => ({ at, x: xs[i] ?? begin.x }))
  const knots = [begin, ...known, { at: last, x: Math.max(endX, ...xs) }]
  const xAt = (at: number) => {
    const i = knots.findLastIndex((knot) => knot.at < at)
    const from = knots[i] ?? begin
    const to = knots[i + 1] ?? from
    return to.at === from.at ? from.x : from.x + ((to.x - from.x) * (at - from.at)) / (to.at - from.at)
  }
  const spots = moments.map((moment, i): Spot => {
    const x = xs[i] ?? begin.x
    if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined }
    const limit = moment.at + LIMIT_MS
    const isSeen = limit <= last && xAt(limit) - x > LEAST_TRACK
    const width = Math.max(LEAST_BAR, xAt(moment.at + moment.durationMs) - x)
    return { moment, x, width, limitX: isSeen ? xAt(limit) : undefined }
  })
  return { spots, ticks: ticksOf(first, last, xAt) }
}

/** In their order, and no mark on one of its kind. */
function apart(moments: readonly Moment[], even: (at: number) => number): number[] {
  const free = { decision: 0, call: 0 }
  let before = 0
  return moments.map((moment) => {
    before = Math.max(even(moment.at), before, free[moment.kind])
    const arrows = moment.kind === 'call' ? movedBy(moment).length : 0
    free[moment.kind] = before + APART + NEXT_ARROW * Math.max(0, arrows - 1)
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
/** Besides the first one. */
const MOST_TICKS = 6

/** As many as there is room for, and each a whole number of its unit: 90 minutes are no "2 h". */
function ticksOf(first: number, last: number, xAt: (at: number) => number): Tick[] {
  const span = last - first
  const step = STEPS.find(({ ms }) => span / ms <= MOST_TICKS) ?? STEPS[STEPS.length - 1]
  const ticks: Tick[] = []
  let free = 0
  for (let i = 0; step !== undefined && i * step.ms <= span; i++) {
    const label = i === 0 ? timeOf(first) : `+${i * step.each} ${step.name}`
    const tick = { x: xAt(first + i * step.ms), label }
    if (tick.x < free) continue
    ticks.push(tick)
    free = tick.x + widthOf('tl-tick-label', tick.label) + GAP
  }
  return ticks
}
