/**
 * Places the moments of a bet on the chosen axis. Moments that are too close together form a group
 * with one text.
 */

import { type BalanceStep, type BalanceSteps, computeBalanceSteps, valueWidth } from './balance-steps.ts'
import { layOutInSequence } from './sequence-axis.ts'
import { layOutToScale } from './time-axis.ts'
import {
  ARROW_OFFSET,
  type AxisTick,
  DASHED_BAR,
  END_MARGIN,
  LABEL_GAP,
  MIN_WIDTH,
  type MomentPosition,
  type TimelineAxis,
} from './timeline-axis.ts'
import {
  buildLabelLines,
  INDENT,
  isUpcoming,
  LANE_Y,
  type LabelLine,
  listMomentLanes,
  measureLines,
  measureText,
  type TimelineLane,
} from './timeline-labels.ts'
import type { TimelineMoment } from './timeline-moments.ts'

export type Scale = 'compact' | 'time'

export interface PlacedMoment extends MomentPosition {
  /** The text of the moment, or of the group that starts with it. */
  readonly lines: readonly LabelLine[]
  /** Pixels from the moment's start to the end of its text. */
  readonly reach: number
}

export interface PositionedStep extends BalanceStep {
  readonly x: number
}

export interface TimelineLayout {
  readonly width: number
  readonly placed: readonly PlacedMoment[]
  readonly steps: readonly PositionedStep[]
  readonly ticks: readonly AxisTick[]
}

/** The end of the last moment, if its text fits. */
const TIME_END = MIN_WIDTH - 136
/** If the text does not fit, the axis is shortened to this limit, and then the picture widened. */
const LEAST_TIME_END = MIN_WIDTH / 2

export function computeLayout(moments: readonly TimelineMoment[], scale: Scale): TimelineLayout {
  const steps = computeBalanceSteps(moments)
  if (scale === 'compact') return toLayout(layOutInSequence(moments, steps), steps)
  const wide = toLayout(layOutToScale(moments, steps, TIME_END), steps)
  const over = wide.width - MIN_WIDTH
  return over === 0 ? wide : toLayout(layOutToScale(moments, steps, Math.max(LEAST_TIME_END, TIME_END - over)), steps)
}

function toLayout({ spots, ticks }: TimelineAxis, known: BalanceSteps): TimelineLayout {
  const placed = placeLabels(spots)
  const steps = spots.flatMap(({ moment, x }) => {
    const step = known.get(moment)
    return step === undefined ? [] : [{ ...step, x: x + ARROW_OFFSET }]
  })
  const ends = [
    ...placed.map(({ x, reach, limitX = 0 }) => Math.max(x + reach, limitX)),
    ...steps.map(({ x, after }) => x + valueWidth(after)),
    ...ticks.map(({ x, label }) => x + measureText('tl-tick-label', label)),
  ]
  return { width: Math.max(MIN_WIDTH, Math.ceil(Math.max(0, ...ends) + END_MARGIN)), placed, steps, ticks }
}

function placeLabels(spots: readonly MomentPosition[]): PlacedMoment[] {
  const labels = new Map<TimelineMoment, { lines: LabelLine[]; reach: number }>()
  const lanes = Object.keys(LANE_Y) as TimelineLane[]
  for (const lane of lanes)
    for (const { moments, lines } of groupCloseMoments(lane, spots)) {
      const [first] = moments
      if (first === undefined) continue
      const { lines: others, reach } = labels.get(first) ?? { lines: [], reach: 0 }
      labels.set(first, { lines: [...others, ...lines], reach: Math.max(reach, INDENT[lane] + measureLines(lines)) })
    }
  return spots.map((spot) => {
    const { lines, reach } = labels.get(spot.moment) ?? { lines: [], reach: 0 }
    return { ...spot, lines, reach: Math.max(reach, spot.width, isDashed(spot.moment) ? DASHED_BAR : 0) }
  })
}

const isDashed = (moment: TimelineMoment) => moment.kind === 'call' && isUpcoming(moment)

interface Group {
  readonly x: number
  readonly moments: readonly TimelineMoment[]
  readonly lines: readonly LabelLine[]
}

/**
 * A moment joins the previous group if it begins before that group's text ends. The group's text is
 * about its last moment (timeline-labels.ts).
 */
function groupCloseMoments(lane: TimelineLane, spots: readonly MomentPosition[]): Group[] {
  const groups: Group[] = []
  for (const { moment, x } of spots) {
    if (!listMomentLanes(moment).includes(lane)) continue
    const last = groups.at(-1)
    const isClose = last !== undefined && last.x + measureLines(last.lines) + LABEL_GAP > x
    const moments = isClose ? [...last.moments, moment] : [moment]
    if (isClose) groups.pop()
    groups.push({ x: isClose ? last.x : x, moments, lines: buildLabelLines(lane, moments) })
  }
  return groups
}
