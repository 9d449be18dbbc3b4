// Formats the measurements and the verdict as text or JSON.
import type { Window } from './generator.ts'
import type { CountedStatements, DatabaseCost, ServerMeasurement } from './measure.ts'
import type { ShapeName } from './options.ts'
import type { SubjectName } from './subjects.ts'

export interface SubjectMeasurements {
  name: SubjectName
  rounds: ServerMeasurement[]
  counted: CountedStatements | undefined
  open: OpenLoopMeasurement | undefined
}

export interface OpenLoopMeasurement {
  callsPerSecond: number
  window: Window
}

const OPEN_REQUIRED = { p99Ms: 10, p999Ms: 25 } as const

type Figure = 'calls/s' | 'µs'

interface ServerComparison {
  figure: Figure
  over: SubjectName
  under: SubjectName
  /** Shapes in which the ratio is judged; in others it is only printed. */
  required: Partial<Record<ShapeName, { is: 'at least' | 'at most'; bound: number }>>
}

export interface Ratio extends Pick<ServerComparison, 'figure' | 'over' | 'under'> {
  required: ServerComparison['required'][ShapeName]
  /** Ratio of the medians. */
  measured: number
  lowestRound: number
  highestRound: number
}

const atLeast = (bound: number) => ({ is: 'at least', bound }) as const
const atMost = (bound: number) => ({ is: 'at most', bound }) as const
const everywhere = (bound: number) => ({ production: atLeast(bound), laboratory: atLeast(bound) })

const COMPARED: readonly ServerComparison[] = [
  {
    ...{ figure: 'calls/s', over: 'purser', under: 'before' },
    required: { production: atLeast(1.5), laboratory: atLeast(1) },
  },
  { figure: 'calls/s', over: 'purser', under: 'plain', required: everywhere(3) },
  { figure: 'calls/s', over: 'purser', under: 'signature-only', required: everywhere(1 / 3) },
  { figure: 'µs', over: 'purser', under: 'before', required: { production: atMost(0.6) } },
  { figure: 'µs', over: 'plain', under: 'purser', required: { production: atLeast(3.5) } },
]

const FIGURES: Record<Figure, (round: ServerMeasurement) => number | undefined> = {
  'calls/s': ({ callsPerSecond }) => callsPerSecond,
  µs: ({ processorTime }) => processorTime && processorTime.server + processorTime.postgres,
}

export function computeMedian(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/** CPU times only when they are known. */
export function computeRatios(all: SubjectMeasurements[], shape: ShapeName): Ratio[] {
  return COMPARED.flatMap(({ figure, over, under, required }) => {
    const [above, below] = [over, under].map((name) => figuresOf(all, name, FIGURES[figure])) as [number[], number[]]
    if (above.length === 0 || above.length !== below.length) return []
    const rounds = above.map((value, round) => value / below[round]!)
    const measured = computeMedian(above) / computeMedian(below)
    const range = { lowestRound: Math.min(...rounds), highestRound: Math.max(...rounds) }
    return [{ figure, over, under, required: required[shape], measured, ...range }]
  })
}

function figuresOf(all: SubjectMeasurements[], name: SubjectName, figure: (typeof FIGURES)[Figure]): number[] {
  return all.flatMap((one) => (one.name === name ? one.rounds : [])).flatMap((round) => figure(round) ?? [])
}

/** Judges the printed value with two decimals; the third is noise on a shared machine. */
function isMet({ measured, required }: Ratio): boolean {
  if (required === undefined) return true
  const [printed, bound] = [measured, required.bound].map((value) => Math.round(value * 100)) as [number, number]
  return required.is === 'at least' ? printed >= bound : printed <= bound
}

function described({ figure, over, under, required, measured }: Ratio, rounds = ''): string {
  const wanted = required ? `required ${required.is} ${required.bound.toFixed(2)}` : 'not judged in this shape'
  return `${over} / ${under}, ${UNITS[figure]}: ${measured.toFixed(2)}${rounds}, ${wanted}`
}

const UNITS: Record<Figure, string> = {
  'calls/s': 'calls per second',
  µs: 'processor time of server and Postgres per call',
}

/** Empty for a good run. */
export function findShortfalls(all: SubjectMeasurements[], shape: ShapeName): string[] {
  const slow = computeRatios(all, shape)
    .filter((ratio) => !isMet(ratio))
    .map((ratio) => described(ratio))
  const late = all.flatMap(({ name, open }) => (open === undefined ? [] : lateness(name, open)))
  return [...slow, ...late, ...all.flatMap(({ name, rounds }) => rounds.flatMap((round) => faults(name, round)))]
}

function lateness(name: SubjectName, { window }: OpenLoopMeasurement): string[] {
  const late = (['p99Ms', 'p999Ms'] as const).filter((which) => window[which] > OPEN_REQUIRED[which])
  const refused =
    Object.keys(window.refused).length > 0 ? [`${name}: open loop: ${JSON.stringify(window.refused)}`] : []
  return [
    ...late.map((which) => `${name}: open loop: ${which} ${number(window[which])}, required ${OPEN_REQUIRED[which]}`),
    ...refused,
  ]
}

function faults(name: SubjectName, { window, database }: ServerMeasurement): string[] {
  const found: string[] = []
  if (Object.keys(window.refused).length > 0) found.push(`${name}: not 200: ${JSON.stringify(window.refused)}`)
  if (database && database.betsTooMany !== 0) found.push(`${name}: ${database.betsTooMany} bets more than answered`)
  if (database?.audit?.clean === false) found.push(`${name}: audit: ${database.audit.said}`)
  return found
}

export function formatBenchReport(all: SubjectMeasurements[], shape: ShapeName): string {
  const lines = [
    row([
      '',
      'calls/s',
      'lowest–highest',
      'p50 ms',
      'p99 ms',
      'statements',
      'round trips',
      'transactions',
      'WAL bytes',
      'WAL records',
      'images',
      'pages',
    ]),
    ...all.map((one) => row([one.name, ...speedCells(one.rounds), ...costCells(one)])),
    '',
    ...computeRatios(all, shape).map((ratio) =>
      described(ratio, ` (rounds ${ratio.lowestRound.toFixed(2)}–${ratio.highestRound.toFixed(2)})`),
    ),
    '',
    ...all.flatMap(touchedLines),
    ...all.flatMap(processorLine),
    ...all.flatMap(fastPathLine),
    ...all.flatMap(openLine),
    ...all.flatMap(({ name, rounds }) => rounds.flatMap((round) => auditLine(name, round.database))),
  ]
  return lines.join('\n')
}

function speedCells(rounds: ServerMeasurement[]): string[] {
  const speeds = rounds.map((round) => round.callsPerSecond)
  return [
    number(computeMedian(speeds)),
    `${number(Math.min(...speeds))}–${number(Math.max(...speeds))}`,
    number(computeMedian(rounds.map((round) => round.window.p50Ms))),
    number(computeMedian(rounds.map((round) => round.window.p99Ms))),
  ]
}

function costCells({ rounds, counted }: SubjectMeasurements): string[] {
  const costs = rounds.flatMap(({ database }) => (database ? [database] : []))
  if (costs.length === 0) return Array.from({ length: 7 }, () => '–')
  const middle = (of: (cost: DatabaseCost) => number) => number(computeMedian(costs.map(of)))
  return [
    counted ? number(counted.statementsPerCall) : '–',
    counted ? number(counted.roundTripsPerCall) : '–',
    middle((cost) => cost.transactionsPerCall),
    middle((cost) => cost.walBytesPerCall),
    middle((cost) => cost.walRecordsPerCall),
    middle((cost) => cost.pageImagesPerCall),
    middle((cost) => cost.pagesPerCall),
  ]
}

const TOUCHED = ['locks', 'rows', 'changesInPlace', 'changes', 'entries', 'images'] as const

/** The counting run, one table per server. */
function touchedLines({ name, counted }: SubjectMeasurements): string[] {
  if (counted === undefined) return []
  const line = (first: string, cells: string[]) => first.padEnd(28) + cells.map((cell) => cell.padStart(10)).join('')
  return [
    line(`${name}, per call`, ['locks', 'new rows', 'in place', 'moved', 'entries', 'images']),
    ...counted.touched.map((one) =>
      line(
        one.relation,
        TOUCHED.map((what) => number(one[what])),
      ),
    ),
    line(
      'together',
      TOUCHED.map((what) => number(counted.touched.reduce((sum, one) => sum + one[what], 0))),
    ),
    '',
  ]
}

function processorLine({ name, rounds }: SubjectMeasurements): string[] {
  const times = rounds.flatMap(({ processorTime }) => (processorTime ? [processorTime] : []))
  if (times.length === 0) return []
  const [server, postgres, generator] = (['server', 'postgres', 'generator'] as const).map((of) =>
    number(computeMedian(times.map((time) => time[of]))),
  )
  return [`${name} processor time per call: server ${server} µs, Postgres ${postgres} µs, generator ${generator} µs`]
}

function fastPathLine({ name, rounds }: SubjectMeasurements): string[] {
  const shares = rounds.flatMap(({ fastPathShare }) => (fastPathShare === undefined ? [] : [fastPathShare]))
  return shares.length === 0
    ? []
    : [`${name}: the fast path applied ${number(100 * computeMedian(shares))} of 100 calls`]
}

function openLine({ name, open }: SubjectMeasurements): string[] {
  if (open === undefined) return []
  const { window, callsPerSecond } = open
  const [p50, p99, p999] = [window.p50Ms, window.p99Ms, window.p999Ms].map(number)
  return [
    `${name}, open loop, ${number(callsPerSecond)} calls/s asked for, ${number(window.accepted / window.seconds)} answered: p50 ${p50} ms, p99 ${p99} ms, p99.9 ${p999} ms`,
  ]
}

function auditLine(name: SubjectName, database: DatabaseCost | undefined): string[] {
  if (!database?.audit) return []
  return [`${name} audit after the load: ${database.audit.clean ? 'clean' : database.audit.said}`]
}

const WIDTHS = [15, 9, 16, 8, 8, 12, 13, 14, 11, 13, 11, 8]
const row = (cells: string[]) =>
  cells.map((cell, at) => (at ? cell.padStart(WIDTHS[at]!) : cell.padEnd(WIDTHS[at]!))).join('')

/** Three digits below 100, whole numbers above. */
function number(value: number): string {
  return value.toLocaleString('en', value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 })
}
