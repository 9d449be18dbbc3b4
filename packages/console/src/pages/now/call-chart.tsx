/**
 * Charts of the last hour, minute by minute: the p99 latency with the platform's time-out, and the
 * calls per second.
 */
import { type ReactNode, useCallback, useRef, useState } from 'react'
import uPlot from 'uplot'
import { clockText, type Zone } from '../../shared/charts/chart-times.ts'
import { countText, Time } from '../../shared/charts/format.tsx'
import { AXIS, LEFT_PX, Plot, type PlotOptions, token } from '../../shared/charts/time-plot.tsx'
import { DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { downloadText } from '../../shared/data/file-download.ts'
import type { Hour } from './overview-data.ts'

const MINUTE_MS = 60_000
const SECONDS = 60
/** The platform's time-out for a call (C-2). */
const DEADLINE_MS = 5_000
const HEIGHTS = { durations: 96, calls: 190 }
const LONGEST_MS = 10_000

type MinuteCounts = Hour['minutes'][number]

/** A minute without calls has zeros and no latency. */
function fillMinutes({ from, to, minutes }: Hour): (Omit<MinuteCounts, 'p99Ms'> & { p99Ms: number | null })[] {
  const known = new Map(minutes.map((minute) => [Date.parse(minute.at), minute]))
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: (last - first) / MINUTE_MS + 1 }, (_, i) => {
    const at = first + i * MINUTE_MS
    return known.get(at) ?? { at: new Date(at).toISOString(), accepted: 0, refused: 0, failed: 0, p99Ms: null }
  })
}

const DURATIONS_NAME = 'p99 latency'
const CALLS_NAME = 'Calls per second'

export function CallChart({ hour, title }: { hour: Hour; title: string }) {
  const lines = fillMinutes(hour)
  const [at, setAt] = useState<number>()
  const shown = at === undefined ? undefined : lines[at]
  const calls = hour.minutes.reduce((sum, { accepted, refused, failed }) => sum + accepted + refused + failed, 0)
  return (
    <section className="card" aria-label={title}>
      <Head title={title} save={() => downloadText('purser-last-hour.csv', toCsv(lines))} />
      {calls === 0 ? (
        <EmptyState title="No calls in the last hour.">
          <p>A call appears here a few seconds after its response.</p>
        </EmptyState>
      ) : (
        <div className="body now-charts">
          <p className="muted small readout" aria-hidden="true">
            {shown === undefined ? (
              'Hover for values. The last minute is still in progress.'
            ) : (
              <>
                <Time at={shown.at} /> · {rate(shown.accepted)} accepted, {rate(shown.refused)} rejected,{' '}
                {rate(shown.failed)} failed per second · {durationText(shown.p99Ms)}
              </>
            )}
          </p>
          <h3>{DURATIONS_NAME}</h3>
          <Chart kind="durations" lines={lines} point={setAt} description={`${DURATIONS_NAME}: ${slowestText(hour)}`} />
          <h3>{CALLS_NAME}</h3>
          <Chart
            kind="calls"
            lines={lines}
            point={setAt}
            description={`${countText(calls, 'call')} in the last hour`}
          />
          <AsTable lines={lines} />
        </div>
      )}
    </section>
  )
}

export function CallChartFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <Head title={title} />
      {children}
    </section>
  )
}

/** Same height as the charts. */
export function CallChartSkeleton({ title }: { title: string }) {
  return (
    <section className="card" role="status" aria-label="Loading the last hour">
      <Head title={title} />
      <div className="body now-charts">
        <p className="muted small readout">…</p>
        <h3>{DURATIONS_NAME}</h3>
        <div className="plot durations" />
        <h3>{CALLS_NAME}</h3>
        <div className="plot calls" />
        <details className="as-table">
          <summary>As table</summary>
        </details>
      </div>
    </section>
  )
}

function Head({ title, save }: { title: string; save?: () => void }) {
  return (
    <header>
      <h2>{title}</h2>
      <span className="keys">
        <span className="key accepted">Accepted</span>
        <span className="key refused">Rejected</span>
        <span className="key failed">Failed</span>
      </span>
      <span className="spring" />
      <button type="button" className="button quiet" disabled={save === undefined} onClick={save}>
        CSV
      </button>
    </header>
  )
}

const rate = (calls: number) => (calls / SECONDS).toFixed(calls === 0 ? 0 : calls < SECONDS ? 2 : 1)

function durationText(ms: number | null): string {
  if (ms === null) return 'no calls'
  return ms >= LONGEST_MS ? 'p99 10 s or more' : `p99 about ${msText(ms)}`
}

const msText = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

function slowestText({ minutes }: Hour): string {
  return `about ${msText(Math.max(...minutes.map(({ p99Ms }) => p99Ms)))} in the slowest minute`
}

function toCsv(lines: ReturnType<typeof fillMinutes>): string {
  const rows = lines.map(({ at, accepted, refused, failed, p99Ms }) =>
    [at, accepted, refused, failed, p99Ms ?? ''].join(','),
  )
  return `${['minute,accepted,refused,failed,p99_ms', ...rows].join('\r\n')}\r\n`
}

function AsTable({ lines }: { lines: ReturnType<typeof fillMinutes> }) {
  return (
    <details className="as-table">
      <summary>As table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it */}
      <section className="scroll" aria-label="The last hour as a table" tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>Minute</th>
              {['Accepted', 'Rejected', 'Failed', 'p99'].map((name) => (
                <th key={name} className="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.toReversed().map(({ at, accepted, refused, failed, p99Ms }) => (
              <tr key={at}>
                <td>
                  <Time at={at} />
                </td>
                <td className="num">{accepted}</td>
                <td className="num">{refused}</td>
                <td className="num">{failed}</td>
                <td className="num">{p99Ms === null ? DASH : msText(p99Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

interface PlotProps {
  readonly kind: 'durations' | 'calls'
  readonly lines: ReturnType<typeof fillMinutes>
  readonly description: string
  point(at: number | undefined): void
}

function Chart({ kind, lines, description, point }: PlotProps) {
  const latest = useRef(point)
  latest.current = point
  const options = useCallback((zone: Zone) => buildPlotOptions(kind, zone, (at) => latest.current(at)), [kind])
  const data = kind === 'calls' ? callData(lines) : durationData(lines)
  return <Plot options={options} data={data} height={HEIGHTS[kind]} description={description} />
}

const seconds = ({ at }: { at: string }) => Date.parse(at) / 1_000

/** Later series cover earlier ones, so the order is from the whole bar to its lowest part. */
function callData(lines: PlotProps['lines']): uPlot.AlignedData {
  return [
    lines.map(seconds),
    lines.map(({ accepted, refused, failed }) => (accepted + refused + failed) / SECONDS),
    lines.map(({ accepted, refused }) => (accepted + refused) / SECONDS),
    lines.map(({ accepted }) => accepted / SECONDS),
  ]
}

function durationData(lines: PlotProps['lines']): uPlot.AlignedData {
  return [
    lines.map(seconds),
    lines.map(({ p99Ms }) => (p99Ms === null ? null : Math.max(1, p99Ms))),
    lines.map(() => DEADLINE_MS),
  ]
}

function buildPlotOptions(kind: PlotProps['kind'], zone: Zone, point: PlotProps['point']): PlotOptions {
  const common = {
    scales: { x: { range: (_: uPlot, first: number, last: number): [number, number] => [first, last + SECONDS] } },
    cursor: { sync: { key: 'now' }, drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [(chart: uPlot) => point(chart.cursor.idx ?? undefined)] },
    padding: [8, 20, 0, 0] as [number, number, number, number],
  }
  if (kind === 'durations') return { ...common, ...DURATIONS, scales: { ...common.scales, ...DURATIONS.scales } }
  const clock = {
    ...AXIS,
    grid: { show: false },
    size: 28,
    space: 60,
    values: (_: uPlot, at: number[]) => at.map((one) => clockText(zone, one)),
  }
  return {
    ...common,
    ...CALLS,
    scales: { ...common.scales, ...CALLS.scales },
    axes: [clock, { ...AXIS, size: LEFT_PX, space: 34 }],
  }
}

const bars = uPlot.paths.bars?.({ size: [0.72, 14], align: 1 })
const bar = (name: string) => ({
  ...{ fill: token(name), stroke: token(name), width: 0, points: { show: false } },
  ...(bars && { paths: bars }),
})
const CALLS: Pick<uPlot.Options, 'series' | 'scales'> = {
  scales: { y: { range: (_chart, _least, most) => [0, Math.max(0.1, most * 1.1)] } },
  series: [{}, bar('--bad'), bar('--wait'), bar('--accent')],
}

const DURATION_SPLITS = [1, 10, 100, 1_000, DEADLINE_MS]
const DURATIONS: Pick<uPlot.Options, 'series' | 'axes' | 'scales'> = {
  scales: { y: { distr: 3, range: [1, LONGEST_MS] } },
  series: [
    {},
    { stroke: token('--open'), width: 2, points: { size: 4 } },
    { stroke: token('--bad'), width: 1, dash: [4, 3], points: { show: false } },
  ],
  axes: [
    { ...AXIS, size: 6, grid: { show: false }, values: (_chart, at) => at.map(() => '') },
    {
      ...{ ...AXIS, size: LEFT_PX },
      splits: DURATION_SPLITS,
      filter: (_chart, splits) => splits,
      values: (_chart, splits) => splits.map((ms) => (ms === 100 || ms === 1 || ms === DEADLINE_MS ? msLabel(ms) : '')),
    },
  ],
}
const msLabel = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`)
