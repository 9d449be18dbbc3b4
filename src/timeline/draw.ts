/**
 * A bet's history as a picture: three lanes on one axis (what the platform decided, every attempt on the wire, what the wallet moved), and the
 * player's balance below. Pure: the same history is the same picture, in the console, in a file, in the docs.
 */
import { ARROW, DASHED_BAR, GUTTER, NEXT_ARROW } from './axis.ts'
import { balanceLine } from './balance.ts'
import { INDENT, isToCome, LANES, type Line, lanesOf, movedBy, ROW, sideOf } from './labels.ts'
import { layOut, type Placed, type Scale } from './layout.ts'
import type { Call, History } from './moments.ts'
import { sayMoment } from './say.ts'
import { type Element, el } from './svg.ts'

const BAR = 18
const BALANCE_TOP = 336
const BALANCE_HEIGHT = 78
const HEIGHT = BALANCE_TOP + BALANCE_HEIGHT + 34
/** Where the picture begins when nothing was decided, and ends when no money was seen. */
const WIRE_TOP = 92
const WIRE_HEIGHT = 134

export interface Options {
  readonly scale: Scale
  /** The id of the moment that is looked at. */
  readonly selected?: string | undefined
  /** Nothing can be chosen in it: it is one picture, with a table beside it. */
  readonly isStill?: true
  /** For screen readers. */
  readonly label?: string
}

/** What there is to be seen of it. */
interface Shown {
  readonly top: number
  readonly height: number
  readonly hasMoney: boolean
  readonly width: number
}

export function drawTimeline(history: History, { scale, selected, isStill, label }: Options): Element {
  const { width, placed, steps, ticks } = layOut(history.moments, scale)
  const shown = shownOf(history, width)
  const { top, height, hasMoney } = shown
  return el(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'timeline',
      viewBox: `0 ${top} ${width} ${height}`,
      width,
      height,
      role: isStill ? 'img' : 'group',
      'aria-label': label ?? `The life of bet ${history.betId}: ${placed.length} moments`,
    },
    ...lanes(shown),
    el('g', { class: 'tl-ticks' }, ...ticks.flatMap(({ x, label }) => tick(x, label, shown))),
    ...placed.flatMap((one) => leadsTo(one, placed)),
    ...placed.map((one) => moment(one, one.moment.id === selected, isStill === true)),
    ...(hasMoney ? [balanceLine(history, steps, { top: BALANCE_TOP, height: BALANCE_HEIGHT, width })] : []),
  )
}

/** A bet has all lanes. Of a conformance case the platform is the kit, which decides nothing, and money is seen only where balances can be asked for. */
function shownOf({ moments, seesMoney }: History, width: number): Shown {
  const top = moments.some(({ kind }) => kind === 'decision') || seesMoney === undefined ? 0 : WIRE_TOP
  const hasMoney = seesMoney !== false
  return { top, width, hasMoney, height: hasMoney ? HEIGHT - top : WIRE_HEIGHT }
}

function lanes({ top, width, hasMoney }: Shown): Element[] {
  const names = [
    ...(top === 0 ? [['platform', 'Platform', 'decides'] as const] : []),
    ['wire', 'Wire', 'asks, answers'] as const,
    ...(hasMoney ? [['wallet', 'Wallet', 'moves money'] as const] : []),
  ]
  return names.flatMap(([lane, name, what]) => [
    el('line', { class: 'tl-lane', x1: GUTTER - 12, x2: width - 8, y1: LANES[lane], y2: LANES[lane] }),
    el('text', { class: 'tl-lane-name', x: 0, y: LANES[lane] - 1 }, name),
    el('text', { class: 'tl-lane-what', x: 0, y: LANES[lane] + 14 }, what),
    ...(lane === 'wire' ? [el('text', { class: 'tl-lane-limit', x: 0, y: LANES.wire + 29 }, '│ 5 s: given up')] : []),
  ])
}

function tick(x: number, label: string, { top, height }: Shown): Element[] {
  return [
    el('line', { class: 'tl-tick', x1: x, x2: x, y1: top + 18, y2: top + height - 30 }),
    el('text', { class: 'tl-tick-label', x, y: top + 11 }, label),
  ]
}

function moment(placed: Placed, isSelected: boolean, isStill: boolean): Element {
  const { moment: one, x, lines } = placed
  const parts = one.kind === 'decision' ? decision(placed) : call(placed, one)
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
    el('title', {}, sayMoment(one)),
    ...parts,
    ...lines.map((line) => text(x + indent, line)),
  )
}

function text(x: number, { y, words }: Line): Element {
  const [first] = words
  if (words.length === 1 && first !== undefined) return el('text', { class: first.style, x, y }, first.text)
  return el('text', { x, y }, ...words.map(({ style, text: part }) => el('tspan', { class: style }, part)))
}

/** From what was decided to the first attempt to tell it. */
function leadsTo({ moment: one, x }: Placed, placed: readonly Placed[]): Element[] {
  if (one.kind !== 'decision') return []
  const first = placed.find(
    ({ moment: next }) => next.kind === 'call' && `decision-${next.delivery?.deliveryId}` === one.id,
  )
  if (first === undefined) return []
  const [from, mid, to] = [LANES.platform + 8, LANES.wire - 50, LANES.wire - 34]
  const end = first.x + 4
  const bend = Math.min(8, (end - x) / 2)
  const way =
    bend < 1
      ? `V${to}`
      : `V${mid - bend} Q${x} ${mid} ${x + bend} ${mid} H${end - bend} Q${end} ${mid} ${end} ${mid + bend} V${to}`
  return [el('path', { class: 'tl-drop', d: `M${x} ${from} ${way}` })]
}

function decision({ x, reach }: Placed): Element[] {
  const y = LANES.platform
  const diamond = `M${x} ${y - 8} L${x + 8} ${y} L${x} ${y + 8} L${x - 8} ${y} Z`
  return [
    el('rect', { class: 'tl-hit', x: x - 14, y: y - 44, width: Math.max(14, reach + 6) + 14, height: 60, rx: 6 }),
    el('path', { class: 'tl-diamond', d: diamond }),
  ]
}

function call({ x, width, limitX, reach, lines }: Placed, one: Call): Element[] {
  const top = LANES.wire - BAR / 2
  const bottom = Math.max(LANES.wallet + 24, ...lines.map(({ y }) => y)) + ROW / 2
  return [
    el('rect', {
      class: 'tl-hit',
      x: x - 6,
      y: LANES.wire - 34,
      width: Math.max(12, reach + 6) + 6,
      height: bottom - LANES.wire + 34,
      rx: 8,
    }),
    ...(limitX === undefined || isToCome(one) ? [] : [track(x, limitX)]),
    el('rect', { class: 'tl-bar', x, y: top, width: isToCome(one) ? DASHED_BAR : width, height: BAR, rx: 4 }),
    ...(one.ending === 'unanswered' ? [cross(x + width)] : []),
    ...(one.ending === 'stuck' ? [cross(x + DASHED_BAR / 2)] : []),
    ...(one.ending === 'refused'
      ? [el('line', { class: 'tl-bar-end', x1: x + width + 3, x2: x + width + 3, y1: top - 2, y2: top + BAR + 2 })]
      : []),
    ...transfers(x + ARROW, one),
  ]
}

function track(x: number, limitX: number): Element {
  return el(
    'g',
    { class: 'tl-track' },
    el('line', { x1: x, x2: limitX, y1: LANES.wire, y2: LANES.wire }),
    el('line', { class: 'tl-limit', x1: limitX, x2: limitX, y1: LANES.wire - 13, y2: LANES.wire + 13 }),
  )
}

function cross(x: number): Element {
  const y = LANES.wire
  return el('path', {
    class: 'tl-cross',
    d: `M${x - 5} ${y - 5} L${x + 5} ${y + 5} M${x + 5} ${y - 5} L${x - 5} ${y + 5}`,
  })
}

/** An arrow up is money to the player, one down is money from the player; a ring is a call that moved nothing. */
function transfers(x: number, one: Call): Element[] {
  const moved = movedBy(one)
  const y = LANES.wallet
  if (!lanesOf(one).includes('wallet')) return []
  const fall = (end: number) => el('line', { class: 'tl-fall', x1: x, x2: x, y1: LANES.wire + 34, y2: end })
  if (moved.length === 0) return [fall(y - 7), el('circle', { class: 'tl-ring', cx: x, cy: y, r: 5 })]
  return [fall(y - 18), ...moved.map(({ amount }, i) => arrow(x + i * NEXT_ARROW, y, amount))]
}

function arrow(x: number, y: number, amount: string): Element {
  const isOut = amount.startsWith('-')
  const [tail, head] = isOut ? [y - 15, y + 13] : [y + 15, y - 13]
  const wing = isOut ? -7 : 7
  return el('path', {
    class: `tl-arrow ${sideOf(amount)}`,
    d: `M${x} ${tail} V${head} M${x - 5} ${head + wing} L${x} ${head} L${x + 5} ${head + wing}`,
  })
}
