/**
 * A bet's history as a picture: three lanes on one axis (what the platform decided, every attempt on the wire, what the wallet moved), and the
 * player's balance below. Pure: the same history is the same picture, in the console, in a file, in the docs.
 */
import { signed } from './amounts.ts'
import { balanceLine } from './balance.ts'
import { GUTTER, layOut, type Placed, type Scale } from './layout.ts'
import { type Call, type Decision, type History, titleOf } from './moments.ts'
import { sayKind, sayMoment, took } from './say.ts'
import { type Element, el } from './svg.ts'

/** From the top, in pixels. */
const LANES = { platform: 54, wire: 158, wallet: 268 } as const
const BAR = 18
/** Characters. */
const MAX_TITLE = 22
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
  const { width, placed, ticks } = layOut(history, scale)
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
    ...placed.map((one) => moment(one, history, one.moment.id === selected, isStill === true)),
    ...(hasMoney
      ? [balanceLine(history, placed, { top: BALANCE_TOP, height: BALANCE_HEIGHT, width, gutter: GUTTER })]
      : []),
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

function moment(placed: Placed, { currency }: History, isSelected: boolean, isStill: boolean): Element {
  const { moment: one } = placed
  const parts = one.kind === 'decision' ? decision(placed, one) : call(placed, one, currency)
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
  )
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

function decision({ x, hasRoom }: Placed, one: Decision): Element[] {
  const y = LANES.platform
  const diamond = `M${x} ${y - 8} L${x + 8} ${y} L${x} ${y + 8} L${x - 8} ${y} Z`
  const words = hasRoom
    ? [
        el('text', { class: 'tl-title', x: x - 8, y: y - 15 }, one.title),
        el('text', { class: 'tl-detail', x: x + 14, y: y + 20 }, one.detail),
      ]
    : []
  return [
    el('rect', { class: 'tl-hit', x: x - 12, y: y - 32, width: hasRoom ? 116 : 24, height: 60, rx: 6 }),
    el('path', { class: 'tl-diamond', d: diamond }),
    ...words,
  ]
}

function call(placed: Placed, one: Call, currency: string): Element[] {
  const { x, width, limitX, hasRoom } = placed
  const top = LANES.wire - BAR / 2
  return [
    el('rect', {
      class: 'tl-hit',
      x: x - 8,
      y: LANES.wire - 34,
      width: hasRoom ? 132 : Math.max(16, width + 12),
      height: LANES.wallet - LANES.wire + 76,
      rx: 8,
    }),
    ...(limitX === undefined || one.ending === 'pending' || one.ending === 'stuck' ? [] : [track(x, limitX)]),
    el('rect', { class: 'tl-bar', x, y: top, width: isToCome(one) ? 56 : width, height: BAR, rx: 4 }),
    ...(one.ending === 'unanswered' ? [cross(x + width)] : []),
    ...(one.ending === 'stuck' ? [cross(x + 28)] : []),
    ...(one.ending === 'refused'
      ? [el('line', { class: 'tl-bar-end', x1: x + width + 3, x2: x + width + 3, y1: top - 2, y2: top + BAR + 2 })]
      : []),
    ...(hasRoom ? callWords(x, one) : []),
    ...transfers(x, one, currency, hasRoom),
  ]
}

function isToCome({ ending }: Call): boolean {
  return ending === 'pending' || ending === 'stuck'
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

function callWords(x: number, one: Call): Element[] {
  const again = one.isCopy ? ' · a copy' : one.attempt > 1 ? ` · ${ordinal(one.attempt)} try` : ''
  const end = isToCome(one) ? '' : took(one.answer, one.durationMs, ' · ')
  return [
    el(
      'text',
      { class: 'tl-title', x, y: LANES.wire - 18 },
      `${shortened(one.title) ?? titleOf(one.operation)}${again}`,
    ),
    el('text', { class: 'tl-detail tl-answer', x, y: LANES.wire + 27 }, `${one.answer}${end}`),
  ]
}

/** As much as there is room for. */
function shortened(title: string | undefined): string | undefined {
  return title !== undefined && title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title
}

function ordinal(n: number): string {
  return n === 2 ? '2nd' : n === 3 ? '3rd' : `${n}th`
}

/** An arrow up is money to the player, one down is money from the player; a ring is a call that moved nothing. */
function transfers(x: number, one: Call, currency: string, hasRoom: boolean): Element[] {
  const ofPlayer = one.transfers.filter(({ amount }) => !/^-?[0.]+$/.test(amount))
  const y = LANES.wallet
  if (ofPlayer.length === 0) {
    if (one.wallet === undefined && one.journal === undefined && one.movedNothing === undefined) return []
    const why = one.ending === 'repeated' ? 'nothing again' : 'nothing moves'
    return [
      el('line', { class: 'tl-fall', x1: x + 4, x2: x + 4, y1: LANES.wire + 34, y2: y - 7 }),
      el('circle', { class: 'tl-ring', cx: x + 4, cy: y, r: 5 }),
      ...(hasRoom ? [el('text', { class: 'tl-detail', x: x + 14, y: y + 4 }, why)] : []),
    ]
  }
  return [
    el('line', { class: 'tl-fall', x1: x + 4, x2: x + 4, y1: LANES.wire + 34, y2: y - 18 }),
    ...ofPlayer.flatMap((transfer, i) =>
      arrow(x + 4 + i * 12, y + i * 2, transfer.amount, hasRoom ? i : -1, sayKind(transfer.kind), currency),
    ),
  ]
}

function arrow(x: number, y: number, amount: string, row: number, kind: string, currency: string): Element[] {
  const isOut = amount.startsWith('-')
  const [tail, head] = isOut ? [y - 15, y + 13] : [y + 15, y - 13]
  const wing = isOut ? -7 : 7
  const side = isOut ? 'tl-out' : 'tl-in'
  return [
    el('path', {
      class: `tl-arrow ${side}`,
      d: `M${x} ${tail} V${head} M${x - 5} ${head + wing} L${x} ${head} L${x + 5} ${head + wing}`,
    }),
    ...(row < 0
      ? []
      : [
          el('text', { class: `tl-amount ${side}`, x: x + 12, y: LANES.wallet - 4 + row * 30 }, `${signed(amount)}`),
          el('text', { class: 'tl-detail', x: x + 12, y: LANES.wallet + 10 + row * 30 }, `${currency} ${kind}`),
        ]),
  ]
}
