/**
 * A timeline axis that shows only the order of the moments, as close together as their texts allow.
 * If width remains, all distances grow equally, up to a limit.
 */

import { type BalanceSteps, earlierEnd, othersWidth, valueWidth } from './balance-steps.ts'
import { formatDuration, formatTime } from './time-format.ts'
import {
  ARROW_OFFSET,
  END_MARGIN,
  GUTTER,
  LABEL_GAP,
  LIMIT_MS,
  MIN_WIDTH,
  type MomentPosition,
  type TimelineAxis,
} from './timeline-axis.ts'
import { buildLabelLines, INDENT, listMomentLanes, measureLines, measureText } from './timeline-labels.ts'
import type { TimelineMoment } from './timeline-moments.ts'

/** Pixels of the wire lane that stand for 5 s, without and with the cross at the end. */
const TRACK = 104
const TRACK_END = TRACK + 6
const MIN_BAR = 9
/** The most pixels added to a step. */
const MAX_SLACK = 72

export function layOutInSequence(moments: readonly TimelineMoment[], steps: BalanceSteps): TimelineAxis {
  const ends = new Map<string, number>([['balance', earlierEnd(steps)]])
  const labels = moments.map(({ at }, i) =>
    i === 0 ? formatTime(at) : `+${formatDuration(at - (moments[i - 1]?.at ?? at))}`,
  )
  const xs = moments.map((moment, i) => {
    const blocks = toBlocks(moment, labels[i] ?? '', steps)
    const x = Math.max(GUTTER, ...blocks.map(([row, from]) => (ends.get(row) ?? 0) + LABEL_GAP - from))
    for (const [row, , to] of blocks) ends.set(row, x + to)
    return x
  })
  const left = MIN_WIDTH - END_MARGIN - Math.max(...ends.values())
  const slack = Math.min(MAX_SLACK, Math.max(0, Math.floor(left / Math.max(1, moments.length - 1))))
  const spots = moments.map((moment, i) => toPosition(moment, (xs[i] ?? GUTTER) + i * slack))
  return { spots, ticks: spots.map(({ x }, i) => ({ x, label: labels[i] ?? '' })) }
}

type Block = readonly [row: string, from: number, to: number]

/** The pixels that a moment needs in each row, relative to its x. */
function toBlocks(moment: TimelineMoment, label: string, steps: BalanceSteps): Block[] {
  const blocks = listMomentLanes(moment).map((lane): Block => {
    const reach = INDENT[lane] + measureLines(buildLabelLines(lane, [moment]))
    return [lane, INDENT[lane], lane === 'wire' ? Math.max(reach, TRACK_END) : reach]
  })
  const step = steps.get(moment)
  if (step !== undefined)
    blocks.push(['balance', ARROW_OFFSET - othersWidth(step), ARROW_OFFSET + valueWidth(step.after)])
  return [...blocks, ['ticks', 0, measureText('tl-tick-label', label)]]
}

function toPosition(moment: TimelineMoment, x: number): MomentPosition {
  if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined }
  const part = Math.min(1, moment.durationMs / LIMIT_MS)
  return { moment, x, width: Math.max(MIN_BAR, part * TRACK), limitX: x + TRACK }
}
