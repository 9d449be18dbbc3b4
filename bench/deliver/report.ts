// From measurements to the verdict, as text or JSON.
import { median } from '../report.ts'
import type { Measurement, Situation } from './situation.ts'

export interface Result {
  endToEnd: { settlesPerSecond: number; faults: string[] }[]
  situations: Map<Situation, Measurement[]>
}

/** Issue 3: a partner that cannot be reached costs the other one at most 20 % of its rate. */
const REQUIRED = 0.8

const rates = (measurements: readonly { settlesPerSecond: number }[]) => measurements.map((m) => m.settlesPerSecond)

export interface Verdict {
  situation: Situation
  ofAlone: number
  required: number
}

export function verdicts({ situations }: Result): Verdict[] {
  const alone = median(rates(situations.get('alone') ?? []))
  return [...situations].flatMap(([situation, measured]) =>
    situation === 'alone' ? [] : [{ situation, ofAlone: median(rates(measured)) / alone, required: REQUIRED }],
  )
}

/** Everything that makes the run fall short; empty = good. */
export function shortfalls(result: Result): string[] {
  const slow = verdicts(result)
    .filter(({ ofAlone }) => ofAlone < REQUIRED)
    .map(
      ({ situation, ofAlone }) => `${situation}: ${percent(ofAlone)} of the rate alone, required ${percent(REQUIRED)}`,
    )
  const all = [...result.endToEnd, ...[...result.situations.values()].flat()]
  return [...slow, ...all.flatMap(({ faults }) => faults)]
}

export function textReport(result: Result): string {
  const rows = [...result.situations].map(([situation, measured]) => {
    const calls = median(measured.map(({ otherCalls }) => otherCalls))
    return row([situation, ...speedCells(rates(measured)), `${calls}`])
  })
  return [
    row(['', 'settles/s', 'lowest–highest', 'calls to the other']),
    ...(result.endToEnd.length === 0 ? [] : [row(['result to last', ...speedCells(rates(result.endToEnd)), '–'])]),
    ...rows,
    '',
    ...verdicts(result).map(
      ({ situation, ofAlone, required }) => `${situation}: ${percent(ofAlone)} of alone, required ${percent(required)}`,
    ),
  ].join('\n')
}

const speedCells = (speeds: number[]) => [
  whole(median(speeds)),
  `${whole(Math.min(...speeds))}–${whole(Math.max(...speeds))}`,
]
const whole = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 })
const percent = (value: number) => value.toLocaleString('en', { style: 'percent', maximumFractionDigits: 0 })

const WIDTHS = [16, 11, 17, 20]
const row = (cells: string[]) =>
  cells.map((cell, at) => (at ? cell.padStart(WIDTHS[at]!) : cell.padEnd(WIDTHS[at]!))).join('')
