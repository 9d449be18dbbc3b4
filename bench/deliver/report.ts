// Formats the measurements and the verdict as text or JSON.
import { computeMedian } from '../report.ts'
import type { DeliverMeasurement, Situation } from './situation.ts'

export interface DeliverResult {
  endToEnd: { settlesPerSecond: number; faults: string[] }[]
  situations: Map<Situation, DeliverMeasurement[]>
}

/** An unreachable partner may cost the other one at most 20 % of its rate. */
const REQUIRED = 0.8

const rates = (measurements: readonly { settlesPerSecond: number }[]) => measurements.map((m) => m.settlesPerSecond)

export interface DeliverVerdict {
  situation: Situation
  ofAlone: number
  required: number
}

export function judgeDeliver({ situations }: DeliverResult): DeliverVerdict[] {
  const alone = computeMedian(rates(situations.get('alone') ?? []))
  return [...situations].flatMap(([situation, measured]) =>
    situation === 'alone' ? [] : [{ situation, ofAlone: computeMedian(rates(measured)) / alone, required: REQUIRED }],
  )
}

/** Empty for a good run. */
export function findDeliverShortfalls(result: DeliverResult): string[] {
  const slow = judgeDeliver(result)
    .filter(({ ofAlone }) => ofAlone < REQUIRED)
    .map(
      ({ situation, ofAlone }) => `${situation}: ${percent(ofAlone)} of the rate alone, required ${percent(REQUIRED)}`,
    )
  const all = [...result.endToEnd, ...[...result.situations.values()].flat()]
  return [...slow, ...all.flatMap(({ faults }) => faults)]
}

export function formatDeliverReport(result: DeliverResult): string {
  const rows = [...result.situations].map(([situation, measured]) => {
    const calls = computeMedian(measured.map(({ otherCalls }) => otherCalls))
    return row([situation, ...speedCells(rates(measured)), `${calls}`])
  })
  return [
    row(['', 'settles/s', 'lowest–highest', 'calls to the other']),
    ...(result.endToEnd.length === 0 ? [] : [row(['result to last', ...speedCells(rates(result.endToEnd)), '–'])]),
    ...rows,
    '',
    ...judgeDeliver(result).map(
      ({ situation, ofAlone, required }) => `${situation}: ${percent(ofAlone)} of alone, required ${percent(required)}`,
    ),
  ].join('\n')
}

const speedCells = (speeds: number[]) => [
  whole(computeMedian(speeds)),
  `${whole(Math.min(...speeds))}–${whole(Math.max(...speeds))}`,
]
const whole = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 })
const percent = (value: number) => value.toLocaleString('en', { style: 'percent', maximumFractionDigits: 0 })

const WIDTHS = [16, 11, 17, 20]
const row = (cells: string[]) =>
  cells.map((cell, at) => (at ? cell.padStart(WIDTHS[at]!) : cell.padEnd(WIDTHS[at]!))).join('')
