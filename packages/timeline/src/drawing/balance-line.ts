/**
 * Draws the player's balance as a step line.
 *
 * - A solid step is a transfer of this bet.
 * - A dotted piece is another change between two calls, such as a deposit.
 * - A dashed piece leads to a future call.
 */

import { toCommonUnits } from '@purser/protocol/values/decimal'
import { amountText, formatSigned } from '../amount-text.ts'
import { describeOthers, EARLIER_X, LABEL_OFFSET, othersWidth, valueWidth } from './balance-steps.ts'
import { el, type SvgElement } from './svg.ts'
import { GUTTER, LABEL_GAP } from './timeline-axis.ts'
import { measureText } from './timeline-labels.ts'
import type { PositionedStep } from './timeline-layout.ts'
import type { BetHistory } from './timeline-moments.ts'

interface Box {
  readonly top: number
  readonly height: number
  readonly width: number
}

export function drawBalanceLine(history: BetHistory, steps: readonly PositionedStep[], box: Box): SvgElement {
  const [first] = steps
  const name = [
    el('text', { class: 'tl-lane-name', x: 0, y: box.top + box.height / 2 - 1 }, 'Balance'),
    el('text', { class: 'tl-lane-what', x: 0, y: box.top + box.height / 2 + 14 }, history.currency),
  ]
  if (first === undefined) {
    const text = el(
      'text',
      { class: 'tl-detail', x: GUTTER, y: box.top + box.height / 2 + 4 },
      history.isOfPlatformOnly === true ? 'only the wallet has the transfers' : 'no change of the balance',
    )
    return el('g', { class: 'tl-balance' }, ...name, text)
  }
  const heights = scaleHeights(steps.flatMap(({ before, after }) => [before, after]))
  const y = (value: string) => box.top + box.height - 8 - (heights.get(value) ?? 0) * (box.height - 30)
  const isOver = !history.moments.some((one) => one.kind === 'call' && one.ending === 'pending')
  const end = box.width - 24
  const last = steps.at(-1) ?? first
  const values = chooseValues(steps)
  const begin = `M${GUTTER - 12} ${y(first.before)}`
  const finish = `H${isOver ? end : last.x + 30}`
  const stepPath = (to: 'L' | 'M') =>
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
      d: `${begin} ${stepPath('L')} ${finish} V${box.top + box.height} H${GUTTER - 12} Z`,
    }),
    el('path', { class: 'tl-step', d: `${begin} ${stepPath('M')} ${finish}` }),
    ...steps.flatMap((step, i) => drawOtherMovement(steps[i - 1], values[i - 1], step, y, history.currency)),
    ...(isOver ? [] : [el('path', { class: 'tl-step tl-dashed', d: `M${last.x + 30} ${y(last.after)} H${end}` })]),
    el('text', { class: 'tl-value tl-earlier', x: EARLIER_X, y: y(first.before) - 7 }, amountText(first.before)),
    ...steps.flatMap((step, i) => [
      el('circle', { class: 'tl-dot', cx: step.x, cy: y(step.after), r: 3.5 }),
      ...(values[i] === undefined
        ? []
        : [el('text', { class: 'tl-value', x: step.x + LABEL_OFFSET, y: y(step.after) - 7 }, values[i])]),
    ]),
  )
}

/** A value without room is omitted. The next visible value then starts with "…". */
function chooseValues(steps: readonly PositionedStep[]): (string | undefined)[] {
  let dots = ''
  return steps.map(({ x, after }, i) => {
    const next = steps[i + 1]
    const hasRoom = next === undefined || x + valueWidth(after, dots) + LABEL_GAP <= next.x
    const value = hasRoom ? `${dots}${amountText(after)}` : undefined
    dots = hasRoom ? '' : '… '
    return value
  })
}

/** The line is slanted, because the time of the change is unknown here. */
function drawOtherMovement(
  from: PositionedStep | undefined,
  value: string | undefined,
  to: PositionedStep,
  y: (value: string) => number,
  currency: string,
): SvgElement[] {
  if (from === undefined || to.others === undefined) return []
  const d = `M${from.x} ${y(from.after)} L${to.x} ${y(to.before)}`
  const isUp = !to.others.startsWith('-')
  const hasRoom =
    from.x + (value === undefined ? 0 : measureText('tl-value', value) + LABEL_OFFSET) + LABEL_GAP <=
    to.x - othersWidth(to)
  const words = el(
    'text',
    { class: 'tl-detail', x: to.x - LABEL_OFFSET, y: y(to.before) + (isUp ? -6 : 14), 'text-anchor': 'end' },
    describeOthers(to.others),
  )
  return [
    el(
      'g',
      { class: 'tl-others' },
      el('title', {}, `Other transfers of this player in between: ${formatSigned(to.others)} ${currency}`),
      el('path', { class: 'tl-others-hit', d }),
      el('path', { class: 'tl-step tl-dotted', d }),
      ...(hasRoom ? [words] : []),
    ),
  ]
}

/**
 * Heights from 0 (lowest) to 1 (highest) are approximate. Visible numbers are the ledger's own
 * text.
 */
function scaleHeights(amounts: readonly string[]): Map<string, number> {
  const units = toCommonUnits(amounts)
  const low = units.reduce((least, one) => (one < least ? one : least))
  const span = units.reduce((most, one) => (one > most ? one : most)) - low
  const part = (one: bigint) => Number.parseInt(`${((one - low) * 1_000n) / (span || 1n)}`, 10) / 1_000
  return new Map(amounts.map((amount, i) => [amount, part(units[i] ?? low)]))
}
