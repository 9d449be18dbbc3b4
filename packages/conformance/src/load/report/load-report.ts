/** Data of the load report, for terminal, page and JSON, without tokens and secrets. */
import { formatMoney, money } from '@purser/protocol/values/money'
import { VERSION } from '@purser/runtime/version'
import { CALL_KINDS, type CallKind, formatCallMix } from '../call-mix.ts'
import type { LoadOptions } from '../load-options.ts'
import { judgeAllMoney, type MoneyVerdict, type PlayerMoney } from '../money-verdict.ts'
import type { WorkerResult } from '../worker/worker-task.ts'
import type { CallTally, KindTally } from './call-tally.ts'
import {
  computePercentileCurve,
  computePercentiles,
  createLatencyHistogram,
  type PercentilePoint,
  type Percentiles,
} from './latency-histogram.ts'

export interface LoadReport {
  readonly target: string
  readonly version: string
  readonly startedAt: Date
  /** Milliseconds, without balances and retries. */
  readonly loadMs: number
  readonly money: MoneyVerdict
  readonly players: readonly ReportedPlayer[]
  readonly rows: readonly LoadReportRow[]
  readonly intervals: readonly ReportedInterval[]
  readonly curve: readonly PercentilePoint[]
  /** Due calls that found no free connection before the end. */
  readonly unsent: number
  readonly asked: LoadParameters
  readonly notes: readonly string[]
}

export interface LoadParameters {
  readonly rate: number
  readonly durationMs: number
  readonly mix: string
  readonly players: number
  readonly zipf: number
  readonly seed: number
  readonly workers: number
  readonly connections: number
}

/** Amounts are decimal texts. */
export interface ReportedPlayer {
  readonly userId: string
  readonly currency: string
  readonly verdict: MoneyVerdict
  readonly before: string
  readonly expected: string
  /** Absent if the balance could not be read. */
  readonly actual?: string
  /** Actual minus expected. */
  readonly difference?: string
  readonly why?: string
}

export interface LoadReportRow {
  readonly kind: CallKind | 'all'
  readonly calls: number
  readonly perSecond: number
  readonly accepted: number
  readonly refused: Readonly<Record<string, number>>
  readonly unanswered: Readonly<Record<string, number>>
  /** Microseconds. */
  readonly latency: Percentiles | undefined
}

export interface ReportedInterval {
  /** Seconds after the start. */
  readonly from: number
  readonly calls: number
  readonly failed: number
  readonly latency: Percentiles | undefined
}

export interface LoadResult {
  readonly options: LoadOptions
  readonly startedAt: Date
  readonly intervalMs: number
  readonly driven: WorkerResult
  readonly players: readonly PlayerMoney[]
  readonly wasInterrupted: boolean
}

const MS_PER_SECOND = 1_000

export function buildLoadReport({
  options,
  startedAt,
  intervalMs,
  driven,
  players,
  wasInterrupted,
}: LoadResult): LoadReport {
  const { tally, loadMs } = driven
  const { baseUrl, rate, durationMs, mix, zipf, seed, workers, connections } = options
  const all = sumKinds(tally)
  return {
    ...{ target: baseUrl, version: VERSION, startedAt, loadMs },
    money: judgeAllMoney(players, tally.byKind.place.accepted),
    players: players.map(toReportedPlayer),
    rows: [
      ...CALL_KINDS.map((kind) => toReportRow(kind, tally.byKind[kind], loadMs)),
      toReportRow('all', all, loadMs),
    ].filter(({ kind, calls }) => calls > 0 || kind === 'all'),
    intervals: toReportedIntervals(tally, intervalMs),
    curve: computePercentileCurve(all.latency),
    unsent: driven.unsent,
    asked: { rate, durationMs, mix: formatCallMix(mix), players: players.length, zipf, seed, workers, connections },
    notes: buildNotes(driven, options, wasInterrupted),
  }
}

function toReportedPlayer({ player, verdict, before, expected, actual, open }: PlayerMoney): ReportedPlayer {
  const { userId, currency, scale } = player
  const show = (units: bigint) => formatMoney(money(units), scale)
  const isRead = typeof actual === 'bigint'
  const doubts = open.map(({ betId, operation, why }) => `${operation} of bet ${betId}: ${why}`)
  const why = [...(isRead ? [] : [actual]), ...doubts].join('; ')
  return {
    ...{ userId, currency, verdict, before: show(before), expected: show(expected) },
    ...(isRead && { actual: show(actual), difference: show(actual - expected) }),
    ...(why !== '' && { why }),
  }
}

function sumKinds({ byKind }: CallTally): KindTally {
  const all: KindTally = { accepted: 0, refused: new Map(), unanswered: new Map(), latency: createLatencyHistogram() }
  for (const kind of CALL_KINDS) {
    const { accepted, refused, unanswered, latency } = byKind[kind]
    all.accepted += accepted
    for (const [code, calls] of refused) all.refused.set(code, (all.refused.get(code) ?? 0) + calls)
    for (const [reason, calls] of unanswered) all.unanswered.set(reason, (all.unanswered.get(reason) ?? 0) + calls)
    all.latency.add(latency)
  }
  return all
}

function toReportRow(
  kind: LoadReportRow['kind'],
  { accepted, refused, unanswered, latency }: KindTally,
  loadMs: number,
): LoadReportRow {
  const calls = latency.count
  return {
    ...{ kind, calls, perSecond: loadMs === 0 ? 0 : Math.floor((calls * MS_PER_SECOND) / loadMs), accepted },
    ...{ refused: Object.fromEntries(refused), unanswered: Object.fromEntries(unanswered) },
    latency: computePercentiles(latency),
  }
}

function toReportedIntervals({ intervals }: CallTally, intervalMs: number): ReportedInterval[] {
  return [...intervals]
    .sort(([a], [b]) => a - b)
    .map(([number, { calls, failed, latency }]) => {
      return { from: (number * intervalMs) / MS_PER_SECOND, calls, failed, latency: computePercentiles(latency) }
    })
}

/** Share of the time in which a worker was busy. Above it, the worker may have been slow. */
const TOO_BUSY = 0.85

function buildNotes(
  { doubts, unsent, busy, gaveUp }: WorkerResult,
  { workers }: LoadOptions,
  wasInterrupted: boolean,
): string[] {
  const percent = Math.floor(busy * 100)
  return [
    `busiest worker ${percent} % at work`,
    ...(busy > TOO_BUSY ? [`the load itself may have been too slow: try --workers ${workers + 1}`] : []),
    ...(unsent > 0 ? [`${unsent} calls were due and found no free connection until the end: they were not sent`] : []),
    ...(doubts > 0 ? [`${doubts} calls were not acknowledged and were retried after the load`] : []),
    ...(gaveUp ? ['the load was ended early: too many calls were not acknowledged'] : []),
    ...(wasInterrupted ? ['the load was interrupted; the calls sent until then are checked'] : []),
  ]
}

export function formatLoadJson(report: LoadReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
