// From measurements to the verdict, as text or JSON.
import type { Window } from './generator.ts'
import type { Counted, DatabaseCost, Measurement } from './measure.ts'
import type { SubjectName } from './subjects.ts'

export interface Subjected {
  name: SubjectName
  rounds: Measurement[]
  counted: Counted | undefined
  open: Open | undefined
}

/** An open loop: the rate that was asked for, and what came of it. */
export interface Open {
  callsPerSecond: number
  window: Window
}

const OPEN_REQUIRED = { p99Ms: 10, p999Ms: 25 } as const

export interface Ratio {
  of: 'before' | 'plain' | 'signature-only'
  required: number
  /** Of the medians. */
  measured: number
  lowestRound: number
  highestRound: number
}

const REQUIRED = [
  { of: 'before', required: 1 },
  { of: 'plain', required: 3 },
  { of: 'signature-only', required: 1 / 3 },
] as const

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

export function ratios(all: Subjected[]): Ratio[] {
  const speeds = (name: SubjectName) =>
    all.find((one) => one.name === name)?.rounds.map((round) => round.callsPerSecond)
  const ours = speeds('purser')
  return REQUIRED.flatMap(({ of, required }) => {
    const theirs = speeds(of)
    if (!ours || !theirs) return []
    const rounds = ours.map((speed, round) => speed / theirs[round]!)
    const measured = median(ours) / median(theirs)
    return [{ of, required, measured, lowestRound: Math.min(...rounds), highestRound: Math.max(...rounds) }]
  })
}

/** Everything that makes the run fall short; empty = good. */
export function shortfalls(all: Subjected[]): string[] {
  const slow = ratios(all)
    .filter(({ measured, required }) => measured < required)
    .map(({ of, measured, required }) => `purser is ${number(measured)} times ${of}, required ${number(required)}`)
  const late = all.flatMap(({ name, open }) => (open === undefined ? [] : lateness(name, open)))
  return [...slow, ...late, ...all.flatMap(({ name, rounds }) => rounds.flatMap((round) => faults(name, round)))]
}

function lateness(name: SubjectName, { window }: Open): string[] {
  const late = (['p99Ms', 'p999Ms'] as const).filter((which) => window[which] > OPEN_REQUIRED[which])
  const refused =
    Object.keys(window.refused).length > 0 ? [`${name}: open loop: ${JSON.stringify(window.refused)}`] : []
  return [
    ...late.map((which) => `${name}: open loop: ${which} ${number(window[which])}, required ${OPEN_REQUIRED[which]}`),
    ...refused,
  ]
}

function faults(name: SubjectName, { window, database }: Measurement): string[] {
  const found: string[] = []
  if (Object.keys(window.refused).length > 0) found.push(`${name}: not 200: ${JSON.stringify(window.refused)}`)
  if (database && database.betsTooMany !== 0) found.push(`${name}: ${database.betsTooMany} bets more than answered`)
  if (database?.audit?.clean === false) found.push(`${name}: audit: ${database.audit.said}`)
  return found
}

export function textReport(all: Subjected[]): string {
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
    ]),
    ...all.map((one) => row([one.name, ...speedCells(one.rounds), ...costCells(one)])),
    '',
    ...ratios(all).map(
      ({ of, required, measured, lowestRound, highestRound }) =>
        `purser / ${of}: ${number(measured)} (rounds ${number(lowestRound)}–${number(highestRound)}), required ${number(required)}`,
    ),
    '',
    ...all.flatMap(processorLine),
    ...all.flatMap(gateLine),
    ...all.flatMap(openLine),
    ...all.flatMap(({ name, rounds }) => rounds.flatMap((round) => auditLine(name, round.database))),
  ]
  return lines.join('\n')
}

function speedCells(rounds: Measurement[]): string[] {
  const speeds = rounds.map((round) => round.callsPerSecond)
  return [
    number(median(speeds)),
    `${number(Math.min(...speeds))}–${number(Math.max(...speeds))}`,
    number(median(rounds.map((round) => round.window.p50Ms))),
    number(median(rounds.map((round) => round.window.p99Ms))),
  ]
}

function costCells({ rounds, counted }: Subjected): string[] {
  const costs = rounds.flatMap(({ database }) => (database ? [database] : []))
  if (costs.length === 0) return ['–', '–', '–', '–']
  const middle = (of: (cost: DatabaseCost) => number) => number(median(costs.map(of)))
  return [
    counted ? number(counted.statementsPerCall) : '–',
    counted ? number(counted.roundTripsPerCall) : '–',
    middle((cost) => cost.transactionsPerCall),
    middle((cost) => cost.walBytesPerCall),
  ]
}

function processorLine({ name, rounds }: Subjected): string[] {
  const times = rounds.flatMap(({ processorTime }) => (processorTime ? [processorTime] : []))
  if (times.length === 0) return []
  const [server, postgres, generator] = (['server', 'postgres', 'generator'] as const).map((of) =>
    number(median(times.map((time) => time[of]))),
  )
  return [`${name} processor time per call: server ${server} µs, Postgres ${postgres} µs, generator ${generator} µs`]
}

function gateLine({ name, rounds }: Subjected): string[] {
  const shares = rounds.flatMap(({ gateShare }) => (gateShare === undefined ? [] : [gateShare]))
  return shares.length === 0 ? [] : [`${name}: the gate took ${number(100 * median(shares))} of 100 calls`]
}

function openLine({ name, open }: Subjected): string[] {
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

const WIDTHS = [15, 9, 16, 8, 8, 12, 13, 14, 11]
const row = (cells: string[]) =>
  cells.map((cell, at) => (at ? cell.padStart(WIDTHS[at]!) : cell.padEnd(WIDTHS[at]!))).join('')

/** Three digits are enough below 100; above, whole numbers. */
function number(value: number): string {
  return value.toLocaleString('en', value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 })
}
