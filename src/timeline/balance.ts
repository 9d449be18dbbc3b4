/** The player's balance under the lanes, as a step line: it moves where a transfer moved it, and goes on dashed where something is still to come. */

import { negated, sumOf, unitsOf } from '../protocol/decimal.ts'
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
      'no money of the player moved',
    )
    return el('g', { class: 'tl-balance' }, ...name, text)
  }
  const heights = heightsOf(steps.flatMap(({ before, after }) => [before, after]))
  const y = (value: string) => box.top + box.height - 8 - (heights.get(value) ?? 0) * (box.height - 30)
  const isOver = !placed.some(({ moment }) => moment.kind === 'call' && moment.ending === 'pending')
  const end = box.width - 24
  const last = steps.at(-1) as Step
  const path = steps.map((step) => `H${step.x} V${y(step.after)}`).join(' ')
  const solid = `M${box.gutter - 12} ${y(first.before)} ${path} H${isOver ? end : last.x + 30}`
  return el(
    'g',
    { class: 'tl-balance' },
    ...name,
    el('path', { class: 'tl-area', d: `${solid} V${box.top + box.height} H${box.gutter - 12} Z` }),
    el('path', { class: 'tl-step', d: solid }),
    ...(isOver ? [] : [el('path', { class: 'tl-step tl-dashed', d: `M${last.x + 30} ${y(last.after)} H${end}` })]),
    el('text', { class: 'tl-value tl-earlier', x: box.gutter - 10, y: y(first.before) - 7 }, first.before),
    ...steps
      .filter(hasRoom)
      .flatMap((step) => [
        el('circle', { class: 'tl-dot', cx: step.x, cy: y(step.after), r: 3.5 }),
        el('text', { class: 'tl-value', x: step.x + 8, y: y(step.after) - 7 }, step.after),
      ]),
  )
}

function hasRoom(step: Step, i: number, all: readonly Step[]): boolean {
  const next = all[i + 1]
  return next === undefined || next.x - step.x > 64
}

/** Several transfers of one call are one step. */
function stepsOf(placed: readonly Placed[]): Step[] {
  return placed.flatMap(({ moment, x }) => {
    if (moment.kind !== 'call') return []
    const [first] = moment.transfers
    const last = moment.transfers.at(-1)
    if (first === undefined || last === undefined) return []
    return [{ x: x + 4, before: earlierOf(first), after: last.balance }]
  })
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
