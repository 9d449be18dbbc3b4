import type { OverloadMeasurement } from './overload.ts'
import type { OverloadPhase } from './overload-load.ts'

/** Milliseconds within which every call must be answered. */
const ANSWER_MS = 5_000
/** Share of the unloaded rate that must still be answered with 200. */
const LEAST_SHARE = 0.8
/** Highest share of calls that store a bet and are answered late. */
const MOST_STORED_LATE = 0.01
/** Resident megabytes. */
const MOST_MEGABYTES = 2_000
/** Factor on the unloaded p50, 2 s after the overload. */
const MOST_SLOWDOWN = 2

/** Empty when the server passed. */
export function findOverloadShortfalls({
  unloaded,
  overload,
  after,
  calls,
  storedThoughLate = 0,
  megabytes,
  audit,
}: OverloadMeasurement): string[] {
  const { late, statuses, acceptedPerSecond } = overload
  const broken = (statuses[0] ?? 0) + (statuses.none ?? 0)
  const checks: [boolean, string][] = [
    [
      late > 0,
      `${late} of ${calls} answers came after ${ANSWER_MS} ms, the last after ${Math.trunc(overload.maxMs)} ms`,
    ],
    [broken > 0, `${broken} of ${calls} calls had no answer`],
    [
      acceptedPerSecond < LEAST_SHARE * unloaded.acceptedPerSecond,
      `${share(overload, unloaded)} of the unloaded rate answered 200`,
    ],
    [
      storedThoughLate > MOST_STORED_LATE * calls,
      `${storedThoughLate} bets stored whose call was not answered 200 in time`,
    ],
    [megabytes.most > MOST_MEGABYTES, `${megabytes.most} MB of memory`],
    [after.p50Ms > MOST_SLOWDOWN * unloaded.p50Ms, `p50 ${after.p50Ms} ms after it, before ${unloaded.p50Ms} ms`],
    [audit?.clean === false, `audit: ${audit?.said}`],
  ]
  return checks.flatMap(([isShort, what]) => (isShort ? [what] : []))
}

const share = (phase: OverloadPhase, of: OverloadPhase) =>
  Math.trunc((phase.acceptedPerSecond / of.acceptedPerSecond) * 1_000) / 1_000

export function formatOverloadReport(measured: OverloadMeasurement): string {
  const { unloaded, overload, after, calls, storedThoughLate = 0, megabytes } = measured
  const rows = Object.entries({ unloaded, overload, 'after it': after }).map(([name, phase]) => row(name, phase))
  return [
    '| | 200/s | answers/s | p50 ms | p50 of 200 | p99 ms | max ms | late | statuses |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `${share(overload, unloaded)} of the unloaded rate answered 200; ${storedThoughLate} of ${calls} calls stored a bet whose answer came late`,
    `memory of the server: ${megabytes.before} MB before, ${megabytes.most} MB at most`,
  ].join('\n')
}

function row(name: string, phase: OverloadPhase): string {
  const { acceptedPerSecond, answersPerSecond, p50Ms, p50AcceptedMs, p99Ms, maxMs, late, statuses } = phase
  const rates = [acceptedPerSecond, answersPerSecond].map((rate) => Math.trunc(rate).toLocaleString('en'))
  const times = [p50Ms, p50AcceptedMs, p99Ms, maxMs].map((ms) => Math.trunc(ms * 10) / 10)
  return `| ${[name, ...rates, ...times, late, JSON.stringify(statuses)].join(' | ')} |`
}
