/**
 * The player's balance under the lanes, as a step line: it moves where a transfer of this bet moved it. What else moved it between two of its
 * calls, another bet or a deposit, is a dotted piece; what is still to come is dashed.
 */

import { negated, sumOf, unitsOf } from '../protocol/decimal.ts'
import { amountText, signed } from './amounts.ts'
import type { Placed } from './layout.ts'
import type { History } from './moments.ts'
import type { Transfer } from './sources.ts'
import { type Element, el } from './svg.ts'

interface Box {
  readonly top: number
  readonly height: number
  readonly width: number
  readonly gutter: number
}

interface Step {
  readonly x: number
  /** What the player had before and after it. */
  readonly before: string
  readonly after: string
  /** What moved it since the step before, and is not of this bet. */
  readonly others: string | undefined
}

export function balanceLine(history: History, placed: readonly Placed[], box: Box): Element {
  const steps = stepsOf(placed)
  const [first] = steps
  const name = [
    el('text', { class: 'tl-lane-name', x: 0, y: box.top + box.height / 2 - 1 }, 'Balance'),
    el('text', { class: 'tl-lane-what', x: 0, y: box.top + box.height / 2 + 14 }, history.currency),
  ]
  if (first === undefined) {
    const text = el(
      'text',
      { class: 'tl-detail', x: box.gutter, y: box.top + box.height / 2 + 4 },
      history.isOfPlatformOnly === true ? 'what moved is known at the wallet only' : 'no money of the player moved',
    )
    return el('g', { class: 'tl-balance' }, ...name, text)
  }
  const heights = heightsOf(steps.flatMap(({ before, after }) => [before, after]))
  const y = (value: string) => box.top + box.height - 8 - (heights.get(value) ?? 0) * (box.height - 30)
  const isOver = !placed.some(({ moment }) => moment.kind === 'call' && moment.ending === 'pending')
  const end = box.width - 24
  const last = steps.at(-1) as Step
  const begin = `M${box.gutter - 12} ${y(first.before)}`
  const finish = `H${isOver ? end : last.x + 30}`
  const way = (to: 'L' | 'M') =>
    steps
      .map(
        ({ x, before, after, others }) => `${others === undefined ? `H${x}` : `${to}${x} ${y(before)}`} V${y(after)}`,
      )
      .join(' ')
  return el(
    'g',
    { class: 'tl-balance' },
    ...name,
    el('path', {
      class: 'tl-area',
      d: `${begin} ${way('L')} ${finish} V${box.top + box.height} H${box.gutter - 12} Z`,
    }),
    el('path', { class: 'tl-step', d: `${begin} ${way('M')} ${finish}` }),
    ...steps.flatMap((step, i) => othersOf(steps[i - 1], step, y, history.currency)),
    ...(isOver ? [] : [el('path', { class: 'tl-step tl-dashed', d: `M${last.x + 30} ${y(last.after)} H${end}` })]),
    el('text', { class: 'tl-value tl-earlier', x: box.gutter - 10, y: y(first.before) - 7 }, amountText(first.before)),
    ...steps
      .filter(hasRoom)
      .flatMap((step) => [
        el('circle', { class: 'tl-dot', cx: step.x, cy: y(step.after), r: 3.5 }),
        el('text', { class: 'tl-value', x: step.x + 8, y: y(step.after) - 7 }, amountText(step.after)),
      ]),
  )
}

/** Pixels between two steps in which the words have room beside the value of the first one. */
const OTHERS_ROOM = 110

/** Slanted, for when it moved between the two calls is not known here. */
function othersOf(from: Step | undefined, to: Step, y: (value: string) => number, currency: string): Element[] {
  if (from === undefined || to.others === undefined) return []
  const d = `M${from.x} ${y(from.after)} L${to.x} ${y(to.before)}`
  const isUp = !to.others.startsWith('-')
  const words = el(
    'text',
    { class: 'tl-detail', x: to.x - 8, y: y(to.before) + (isUp ? -6 : 14), 'text-anchor': 'end' },
    `others ${signed(to.others)}`,
  )
  return [
    el(
      'g',
      { class: 'tl-others' },
      el(
        'title',
        {},
        `Not this bet: ${signed(to.others)} ${currency} meanwhile, by other bets of this player, or cash`,
      ),
      el('path', { class: 'tl-others-hit', d }),
      el('path', { class: 'tl-step tl-dotted', d }),
      ...(to.x - from.x < OTHERS_ROOM ? [] : [words]),
    ),
  ]
}

function hasRoom(step: Step, i: number, all: readonly Step[]): boolean {
  const next = all[i + 1]
  return next === undefined || next.x - step.x > 64
}

/** Several transfers of one call are one step. */
function stepsOf(placed: readonly Placed[]): Step[] {
  let earlier: Transfer | undefined
  return placed.flatMap(({ moment, x }) => {
    if (moment.kind !== 'call') return []
    const [first] = moment.transfers
    const last = moment.transfers.at(-1)
    if (first === undefined || last === undefined) return []
    const before = earlierOf(first)
    const others = earlier && moved(earlier, before, first)
    earlier = last
    return [{ x: x + 4, before, after: last.balance, others }]
  })
}

/** Undefined of nothing, and where the wallet took the calls in another order than they were sent in. */
function moved(earlier: Transfer, before: string, next: Transfer): string | undefined {
  if (before === earlier.balance || next.at < earlier.at) return undefined
  return sumOf([before, negated(earlier.balance)])
}

/** What the ledger has after a transfer, less the transfer: exactly, for it is shown. */
function earlierOf({ amount, balance }: Transfer): string {
  return sumOf([balance, negated(amount)])
}

/** From 0, the least, to 1, the most. Only for the eye: what is shown as a number is the ledger's own text. */
function heightsOf(amounts: readonly string[]): Map<string, number> {
  const units = unitsOf(amounts)
  const low = units.reduce((least, one) => (one < least ? one : least))
  const span = units.reduce((most, one) => (one > most ? one : most)) - low
  const part = (one: bigint) => Number.parseInt(`${((one - low) * 1_000n) / (span || 1n)}`, 10) / 1_000
  return new Map(amounts.map((amount, i) => [amount, part(units[i] ?? low)]))
}
