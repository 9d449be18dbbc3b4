/** Calls per second, minute by minute, over an hour; above them how long the slowest of a hundred took, with the end that platforms set. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { countText, Time, useZone } from '../format.tsx'
import { Empty } from '../parts.tsx'
import { saveText } from '../save.ts'
import type { Hour } from './now.tsx'

const MINUTE_MS = 60_000
const SECONDS = 60
/** Milliseconds after which a platform gives a call up (C-2). */
const DEADLINE_MS = 5_000
const HEIGHTS = { durations: 96, calls: 190 }
const LONGEST_MS = 10_000

type Line = Hour['minutes'][number]

/** Every minute of the hour; one without calls has zeros and no duration. */
function linesOf({ from, to, minutes }: Hour): (Omit<Line, 'p99Ms'> & { p99Ms: number | null })[] {
  const known = new Map(minutes.map((minute) => [Date.parse(minute.at), minute]))
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: (last - first) / MINUTE_MS + 1 }, (_, i) => {
    const at = first + i * MINUTE_MS
    return known.get(at) ?? { at: new Date(at).toISOString(), accepted: 0, refused: 0, failed: 0, p99Ms: null }
  })
}

export function NowChart({ hour, title }: { hour: Hour; title: string }) {
  const lines = linesOf(hour)
  const [at, setAt] = useState<number>()
  const shown = at === undefined ? undefined : lines[at]
  const calls = hour.minutes.reduce((sum, { accepted, refused, failed }) => sum + accepted + refused + failed, 0)
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="keys">
          <span className="key accepted">Accepted</span>
          <span className="key refused">Refused</span>
          <span className="key failed">Failed</span>
        </span>
        <span className="spring" />
        <button type="button" className="button quiet" onClick={() => saveText('purser-last-hour.csv', csvOf(lines))}>
          CSV
        </button>
      </header>
      {calls === 0 ? (
        <Empty title="No calls in the last hour.">
          <p>A call is here some seconds after it was answered. Place a bet to make one.</p>
        </Empty>
      ) : (
        <div className="body now-charts">
          <p className="muted small readout" aria-hidden="true">
            {shown === undefined ? (
              'Point at a minute to read it. The last one is still running.'
            ) : (
              <>
                <Time at={shown.at} /> · {rate(shown.accepted)} accepted, {rate(shown.refused)} refused,{' '}
                {rate(shown.failed)} failed per second · {durationText(shown.p99Ms)}
              </>
            )}
          </p>
          <h3>99 of 100 calls took at most</h3>
          <Plot
            kind="durations"
            lines={lines}
            point={setAt}
            says={`99 of 100 calls took at most: ${slowestText(hour)}`}
          />
          <h3>Calls per second</h3>
          <Plot kind="calls" lines={lines} point={setAt} says={`${countText(calls, 'call')} in the last hour`} />
          <AsTable lines={lines} />
        </div>
      )}
    </section>
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

function csvOf(lines: ReturnType<typeof linesOf>): string {
  const rows = lines.map(({ at, accepted, refused, failed, p99Ms }) =>
    [at, accepted, refused, failed, p99Ms ?? ''].join(','),
  )
  return `${['minute,accepted,refused,failed,p99_ms', ...rows].join('\r\n')}\r\n`
}

function AsTable({ lines }: { lines: ReturnType<typeof linesOf> }) {
  return (
    <details className="as-table">
      <summary>As table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys */}
      <section className="scroll" aria-label="The last hour as a table" tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>Minute</th>
              {['Accepted', 'Refused', 'Failed', 'p99'].map((name) => (
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
                <td className="num">{p99Ms === null ? '–' : msText(p99Ms)}</td>
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
  readonly lines: ReturnType<typeof linesOf>
  readonly says: string
  point(at: number | undefined): void
}

function Plot({ kind, lines, says, point }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const zone = useZone()
  const data = kind === 'calls' ? callData(lines) : durationData(lines)
  const latest = useRef({ data, point })
  latest.current = { data, point }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const options = optionsOf(kind, zone, (at) => latest.current.point(at))
    const chart = new uPlot(
      { ...options, width: element.clientWidth, height: HEIGHTS[kind] },
      latest.current.data,
      element,
    )
    plot.current = chart
    const sized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHTS[kind] }))
    sized.observe(element)
    const painted = new MutationObserver(() => chart.redraw())
    painted.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      sized.disconnect()
      painted.disconnect()
      chart.destroy()
    }
  }, [kind, zone])
  useEffect(() => plot.current?.setData(data), [data])
  return <div ref={box} className="plot" role="img" aria-label={says} />
}

const seconds = ({ at }: { at: string }) => Date.parse(at) / 1_000

/** From the whole bar to its lowest part: what is drawn later covers what came before. */
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

const token = (name: string) => () => getComputedStyle(document.documentElement).getPropertyValue(name)
const FONT = '12px system-ui, sans-serif'
const AXIS = {
  stroke: token('--muted'),
  grid: { stroke: token('--line'), width: 1 },
  ticks: { show: false },
  font: FONT,
}
const LEFT_PX = 52

function optionsOf(
  kind: PlotProps['kind'],
  zone: string,
  point: PlotProps['point'],
): Omit<uPlot.Options, 'width' | 'height'> {
  const common = {
    legend: { show: false },
    scales: { x: { range: (_: uPlot, first: number, last: number): [number, number] => [first, last + SECONDS] } },
    cursor: { sync: { key: 'now' }, drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [(chart: uPlot) => point(chart.cursor.idx ?? undefined)] },
    tzDate: (at: number) => (zone === 'utc' ? uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') : new Date(at * 1_000)),
    padding: [8, 8, 0, 0] as [number, number, number, number],
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

const twoDigits = (value: number) => `${value}`.padStart(2, '0')

const bars = uPlot.paths.bars?.({ size: [0.72, 14], align: 1 })
const bar = (name: string) => ({
  ...{ fill: token(name), stroke: token(name), width: 0, points: { show: false } },
  ...(bars && { paths: bars }),
})
/** Whatever the language of the browser is: as all times of the console. */
function clockText(zone: string, at: number): string {
  const time = new Date(at * 1_000)
  const [hours, minutes] =
    zone === 'utc' ? [time.getUTCHours(), time.getUTCMinutes()] : [time.getHours(), time.getMinutes()]
  return `${twoDigits(hours)}:${twoDigits(minutes)}`
}

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
