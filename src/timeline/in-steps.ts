/** Every moment as near to the one before as the words of both let it; what is left of the width is shared out. */
import { ARROW, type Axis, END, GAP, GUTTER, LEAST_WIDTH, LIMIT_MS, type Spot } from './axis.ts'
import { INDENT, lanesOf, linesOf, reachOf, widthOf } from './labels.ts'
import type { Moment } from './moments.ts'
import { spanOf, timeOf } from './spans.ts'
import { earlierEnd, othersWidth, type Steps, valueWidth } from './steps.ts'

/** So much of the wire's lane is 5 s; and the cross at its end. */
const TRACK = 104
const TRACK_END = TRACK + 6
const LEAST_BAR = 9
/** Added to a step where there is room. */
const MOST_SLACK = 72

export function inSteps(moments: readonly Moment[], steps: Steps): Axis {
  const ends = new Map<string, number>([['balance', earlierEnd(steps)]])
  const labels = moments.map(({ at }, i) => (i === 0 ? timeOf(at) : `+${spanOf(at - (moments[i - 1]?.at ?? at))}`))
  const xs = moments.map((moment, i) => {
    const blocks = blocksOf(moment, labels[i] ?? '', steps)
    const x = Math.max(GUTTER, ...blocks.map(([row, from]) => (ends.get(row) ?? 0) + GAP - from))
    for (const [row, , to] of blocks) ends.set(row, x + to)
    return x
  })
  const left = LEAST_WIDTH - END - Math.max(...ends.values())
  const slack = Math.min(MOST_SLACK, Math.max(0, Math.floor(left / Math.max(1, moments.length - 1))))
  const spots = moments.map((moment, i) => spotOf(moment, (xs[i] ?? GUTTER) + i * slack))
  return { spots, ticks: spots.map(({ x }, i) => ({ x, label: labels[i] ?? '' })) }
}

type Block = readonly [row: string, from: number, to: number]

/** What a moment takes up of each row, from where it begins. */
function blocksOf(moment: Moment, label: string, steps: Steps): Block[] {
  const blocks = lanesOf(moment).map((lane): Block => {
    const reach = INDENT[lane] + reachOf(linesOf(lane, [moment]))
    return [lane, INDENT[lane], lane === 'wire' ? Math.max(reach, TRACK_END) : reach]
  })
  const step = steps.get(moment)
  if (step !== undefined) blocks.push(['balance', ARROW - othersWidth(step), ARROW + valueWidth(step.after)])
  return [...blocks, ['ticks', 0, widthOf('tl-tick-label', label)]]
}

function spotOf(moment: Moment, x: number): Spot {
  if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined }
  const part = Math.min(1, moment.durationMs / LIMIT_MS)
  return { moment, x, width: Math.max(LEAST_BAR, part * TRACK), limitX: x + TRACK }
}
