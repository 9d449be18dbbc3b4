/**
 * SVG timeline of a bet.
 *
 * Three lanes share one axis: the platform's decisions, the attempts on the wire, and the wallet's
 * transfers. The player's balance is below. The drawing is a pure function, so console, files and
 * docs show the same picture.
 */

import { describeMoment } from '../moment-text.ts'
import { drawBalanceLine } from './balance-line.ts'
import { el, type SvgElement } from './svg.ts'
import { ARROW_OFFSET, ARROW_SPACING, DASHED_BAR, GUTTER } from './timeline-axis.ts'
import {
  directionClass,
  INDENT,
  isUpcoming,
  LANE_Y,
  type LabelLine,
  listMomentLanes,
  listMovedTransfers,
  ROW_HEIGHT,
} from './timeline-labels.ts'
import { computeLayout, type PlacedMoment, type Scale } from './timeline-layout.ts'
import type { BetHistory, TimelineCall } from './timeline-moments.ts'

const BAR = 18
const BALANCE_TOP = 336
const BALANCE_HEIGHT = 78
const HEIGHT = BALANCE_TOP + BALANCE_HEIGHT + 34
/** The top of a picture without decisions, and its height without transfers. */
const WIRE_TOP = 92
const WIRE_HEIGHT = 134

export interface TimelineOptions {
  readonly scale: Scale
  /** The id of the selected moment. */
  readonly selected?: string | undefined
  /** True for a picture that is not interactive. */
  readonly isStill?: true
  /** For screen readers. */
  readonly label?: string
}

interface VisibleArea {
  readonly top: number
  readonly height: number
  readonly hasMoney: boolean
  readonly width: number
}

export function drawTimeline(history: BetHistory, { scale, selected, isStill, label }: TimelineOptions): SvgElement {
  const { width, placed, steps, ticks } = computeLayout(history.moments, scale)
  const area = toVisibleArea(history, width)
  const { top, height, hasMoney } = area
  return el(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'timeline',
      viewBox: `0 ${top} ${width} ${height}`,
      width,
      height,
      role: isStill ? 'img' : 'group',
      'aria-label': label ?? `Timeline of bet ${history.betId}: ${placed.length} events`,
    },
    ...drawLanes(area),
    el('g', { class: 'tl-ticks' }, ...ticks.flatMap(({ x, label }) => drawTick(x, label, area))),
    ...placed.flatMap((one) => drawConnector(one, placed)),
    ...placed.map((one) => drawMoment(one, one.moment.id === selected, isStill === true)),
    ...(hasMoney ? [drawBalanceLine(history, steps, { top: BALANCE_TOP, height: BALANCE_HEIGHT, width })] : []),
  )
}

/**
 * A bet has all lanes. A conformance case has no decisions, and shows money only if the kit can
 * read balances.
 */
function toVisibleArea({ moments, hasBalances }: BetHistory, width: number): VisibleArea {
  const top = moments.some(({ kind }) => kind === 'decision') || hasBalances === undefined ? 0 : WIRE_TOP
  const hasMoney = hasBalances !== false
  return { top, width, hasMoney, height: hasMoney ? HEIGHT - top : WIRE_HEIGHT }
}

function drawLanes({ top, width, hasMoney }: VisibleArea): SvgElement[] {
  const names = [
    ...(top === 0 ? [['platform', 'Platform', 'decisions'] as const] : []),
    ['wire', 'Wire', 'calls'] as const,
    ...(hasMoney ? [['wallet', 'Wallet', 'transfers'] as const] : []),
  ]
  return names.flatMap(([lane, name, caption]) => [
    el('line', { class: 'tl-lane', x1: GUTTER - 12, x2: width - 8, y1: LANE_Y[lane], y2: LANE_Y[lane] }),
    el('text', { class: 'tl-lane-name', x: 0, y: LANE_Y[lane] - 1 }, name),
    el('text', { class: 'tl-lane-what', x: 0, y: LANE_Y[lane] + 14 }, caption),
    ...(lane === 'wire' ? [el('text', { class: 'tl-lane-limit', x: 0, y: LANE_Y.wire + 29 }, '│ timeout (5 s)')] : []),
  ])
}

function drawTick(x: number, label: string, { top, height }: VisibleArea): SvgElement[] {
  return [
    el('line', { class: 'tl-tick', x1: x, x2: x, y1: top + 18, y2: top + height - 30 }),
    el('text', { class: 'tl-tick-label', x, y: top + 11 }, label),
  ]
}

function drawMoment(placed: PlacedMoment, isSelected: boolean, isStill: boolean): SvgElement {
  const { moment: one, x, lines } = placed
  const parts = one.kind === 'decision' ? drawDecision(placed) : drawCall(placed, one)
  const indent = one.kind === 'decision' ? INDENT.platform : INDENT.wire
  return el(
    'g',
    {
      ...{
        class: `tl-moment tl-${one.kind}${one.kind === 'call' ? ` tl-${one.ending}` : ''}${isSelected ? ' tl-selected' : ''}`,
      },
      ...{
        'data-moment': one.id,
        ...(!isStill && { role: 'button', tabindex: 0, 'aria-pressed': String(isSelected) }),
      },
    },
    el('title', {}, describeMoment(one)),
    ...parts,
    ...lines.map((line) => drawText(x + indent, line)),
  )
}

function drawText(x: number, { y, words }: LabelLine): SvgElement {
  const [first] = words
  if (words.length === 1 && first !== undefined) return el('text', { class: first.style, x, y }, first.text)
  return el('text', { x, y }, ...words.map(({ style, text: part }) => el('tspan', { class: style }, part)))
}

/** A line from the decision to its first attempt. */
function drawConnector({ moment: one, x }: PlacedMoment, placed: readonly PlacedMoment[]): SvgElement[] {
  if (one.kind !== 'decision') return []
  const first = placed.find(
    ({ moment: next }) => next.kind === 'call' && `decision-${next.delivery?.deliveryId}` === one.id,
  )
  if (first === undefined) return []
  const [from, mid, to] = [LANE_Y.platform + 8, LANE_Y.wire - 50, LANE_Y.wire - 34]
  const end = first.x + 4
  const bend = Math.min(8, (end - x) / 2)
  const way =
    bend < 1
      ? `V${to}`
      : `V${mid - bend} Q${x} ${mid} ${x + bend} ${mid} H${end - bend} Q${end} ${mid} ${end} ${mid + bend} V${to}`
  return [el('path', { class: 'tl-drop', d: `M${x} ${from} ${way}` })]
}

function drawDecision({ x, reach }: PlacedMoment): SvgElement[] {
  const y = LANE_Y.platform
  const diamond = `M${x} ${y - 8} L${x + 8} ${y} L${x} ${y + 8} L${x - 8} ${y} Z`
  return [
    el('rect', { class: 'tl-hit', x: x - 14, y: y - 44, width: Math.max(14, reach + 6) + 14, height: 60, rx: 6 }),
    el('path', { class: 'tl-diamond', d: diamond }),
  ]
}

function drawCall({ x, width, limitX, reach, lines }: PlacedMoment, one: TimelineCall): SvgElement[] {
  const top = LANE_Y.wire - BAR / 2
  const bottom = Math.max(LANE_Y.wallet + 24, ...lines.map(({ y }) => y)) + ROW_HEIGHT / 2
  return [
    el('rect', {
      class: 'tl-hit',
      x: x - 6,
      y: LANE_Y.wire - 34,
      width: Math.max(12, reach + 6) + 6,
      height: bottom - LANE_Y.wire + 34,
      rx: 8,
    }),
    ...(limitX === undefined || isUpcoming(one) ? [] : [drawTrack(x, limitX)]),
    el('rect', { class: 'tl-bar', x, y: top, width: isUpcoming(one) ? DASHED_BAR : width, height: BAR, rx: 4 }),
    ...(one.ending === 'unanswered' ? [drawCross(x + width)] : []),
    ...(one.ending === 'stuck' ? [drawCross(x + DASHED_BAR / 2)] : []),
    ...(one.ending === 'refused'
      ? [el('line', { class: 'tl-bar-end', x1: x + width + 3, x2: x + width + 3, y1: top - 2, y2: top + BAR + 2 })]
      : []),
    ...drawTransfers(x + ARROW_OFFSET, one),
  ]
}

function drawTrack(x: number, limitX: number): SvgElement {
  return el(
    'g',
    { class: 'tl-track' },
    el('line', { x1: x, x2: limitX, y1: LANE_Y.wire, y2: LANE_Y.wire }),
    el('line', { class: 'tl-limit', x1: limitX, x2: limitX, y1: LANE_Y.wire - 13, y2: LANE_Y.wire + 13 }),
  )
}

function drawCross(x: number): SvgElement {
  const y = LANE_Y.wire
  return el('path', {
    class: 'tl-cross',
    d: `M${x - 5} ${y - 5} L${x + 5} ${y + 5} M${x + 5} ${y - 5} L${x - 5} ${y + 5}`,
  })
}

/**
 * An arrow up is money to the player, an arrow down money from the player. A ring is a call that
 * moved no money.
 */
function drawTransfers(x: number, one: TimelineCall): SvgElement[] {
  const moved = listMovedTransfers(one)
  const y = LANE_Y.wallet
  if (!listMomentLanes(one).includes('wallet')) return []
  const fall = (end: number) => el('line', { class: 'tl-fall', x1: x, x2: x, y1: LANE_Y.wire + 34, y2: end })
  if (moved.length === 0) return [fall(y - 7), el('circle', { class: 'tl-ring', cx: x, cy: y, r: 5 })]
  return [fall(y - 18), ...moved.map(({ amount }, i) => drawArrow(x + i * ARROW_SPACING, y, amount))]
}

function drawArrow(x: number, y: number, amount: string): SvgElement {
  const isOut = amount.startsWith('-')
  const [tail, head] = isOut ? [y - 15, y + 13] : [y + 15, y - 13]
  const wing = isOut ? -7 : 7
  return el('path', {
    class: `tl-arrow ${directionClass(amount)}`,
    d: `M${x} ${tail} V${head} M${x - 5} ${head + wing} L${x} ${head} L${x + 5} ${head + wing}`,
  })
}
