/** A bet's moments on the axis of one of both scales, and whose words stand beside them: of those that stand close, the first speaks for all. */
import { ARROW, type Axis, DASHED_BAR, END, GAP, LEAST_WIDTH, type Spot, type Tick } from './axis.ts'
import { inSteps } from './in-steps.ts'
import { inTime } from './in-time.ts'
import { INDENT, isToCome, LANES, type Lane, type Line, lanesOf, linesOf, reachOf, widthOf } from './labels.ts'
import type { Moment } from './moments.ts'
import { type Step, type Steps, stepsOf, valueWidth } from './steps.ts'

export type Scale = 'compact' | 'time'

export interface Placed extends Spot {
  /** Of its marks, or of those of several moments from this one on. */
  readonly lines: readonly Line[]
  /** Pixels from where it begins to the end of its words. */
  readonly reach: number
}

export interface StepAt extends Step {
  readonly x: number
}

export interface Layout {
  readonly width: number
  readonly placed: readonly Placed[]
  readonly steps: readonly StepAt[]
  readonly ticks: readonly Tick[]
}

/** Where the last moment is over, if its words have room behind it. */
const TIME_END = LEAST_WIDTH - 136
/** If they have not, the axis gets shorter, and the picture wider only then. */
const LEAST_TIME_END = LEAST_WIDTH / 2

export function layOut(moments: readonly Moment[], scale: Scale): Layout {
  const steps = stepsOf(moments)
  if (scale === 'compact') return laidOut(inSteps(moments, steps), steps)
  const wide = laidOut(inTime(moments, steps, TIME_END), steps)
  const over = wide.width - LEAST_WIDTH
  return over === 0 ? wide : laidOut(inTime(moments, steps, Math.max(LEAST_TIME_END, TIME_END - over)), steps)
}

function laidOut({ spots, ticks }: Axis, known: Steps): Layout {
  const placed = withWords(spots)
  const steps = spots.flatMap(({ moment, x }) => {
    const step = known.get(moment)
    return step === undefined ? [] : [{ ...step, x: x + ARROW }]
  })
  const ends = [
    ...placed.map(({ x, reach, limitX = 0 }) => Math.max(x + reach, limitX)),
    ...steps.map(({ x, after }) => x + valueWidth(after)),
    ...ticks.map(({ x, label }) => x + widthOf('tl-tick-label', label)),
  ]
  return { width: Math.max(LEAST_WIDTH, Math.ceil(Math.max(0, ...ends) + END)), placed, steps, ticks }
}

function withWords(spots: readonly Spot[]): Placed[] {
  const said = new Map<Moment, { lines: Line[]; reach: number }>()
  const lanes = Object.keys(LANES) as Lane[]
  for (const lane of lanes)
    for (const { moments, lines } of groupsIn(lane, spots)) {
      const [first] = moments
      if (first === undefined) continue
      const { lines: others, reach } = said.get(first) ?? { lines: [], reach: 0 }
      said.set(first, { lines: [...others, ...lines], reach: Math.max(reach, INDENT[lane] + reachOf(lines)) })
    }
  return spots.map((spot) => {
    const { lines, reach } = said.get(spot.moment) ?? { lines: [], reach: 0 }
    return { ...spot, lines, reach: Math.max(reach, spot.width, isDashed(spot.moment) ? DASHED_BAR : 0) }
  })
}

const isDashed = (moment: Moment) => moment.kind === 'call' && isToCome(moment)

interface Group {
  readonly x: number
  readonly moments: readonly Moment[]
  readonly lines: readonly Line[]
}

/** Who begins before the words of the one before have ended shares words with it: those of the later one (labels.ts). */
function groupsIn(lane: Lane, spots: readonly Spot[]): Group[] {
  const groups: Group[] = []
  for (const { moment, x } of spots) {
    if (!lanesOf(moment).includes(lane)) continue
    const last = groups.at(-1)
    const isClose = last !== undefined && last.x + reachOf(last.lines) + GAP > x
    const moments = isClose ? [...last.moments, moment] : [moment]
    if (isClose) groups.pop()
    groups.push({ x: isClose ? last.x : x, moments, lines: linesOf(lane, moments) })
  }
  return groups
}
