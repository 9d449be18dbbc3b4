// Draws the CPU time per call of each server as bars in an SVG, for light and dark pages.
import type { ServerMeasurement } from './measure.ts'
import { computeMedian, type SubjectMeasurements } from './report.ts'

const BAR = 26
const ROW = 44
const LEFT = 132
const WIDTH = 760
/** Room for the figures after the longest bar. */
const RIGHT = 130
const TOP = 64
const NAMES: Readonly<Record<string, string>> = { 'no-journal': 'no journal', 'signature-only': 'signature only' }

interface Bar {
  readonly name: string
  /** Microseconds per call. */
  readonly server: number
  readonly postgres: number
}

/** Undefined when the CPU time is unknown. */
export function renderBarChart(all: readonly SubjectMeasurements[], note: string): string | undefined {
  const bars = all.map(barOf).filter((bar) => bar !== undefined)
  if (bars.length === 0) return undefined
  const longest = Math.max(...bars.map(({ server, postgres }) => server + postgres))
  const scale = (WIDTH - LEFT - RIGHT) / longest
  const height = TOP + bars.length * ROW + 24
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img">
<title>Processor time per call</title>
<style>
  text { fill: #1f2430 } .muted { fill: #667085 } .server { fill: #3b6fd4 } .postgres { fill: #e0913a }
  @media (prefers-color-scheme: dark) { text { fill: #e6e9ef } .muted { fill: #98a2b3 } .server { fill: #6f9bef } .postgres { fill: #efae63 } }
</style>
<text x="0" y="18" font-weight="600">Processor time per call, µs</text>
<rect class="server" x="${LEFT}" y="32" width="12" height="12" rx="2"/><text class="muted" x="${LEFT + 18}" y="43">server</text>
<rect class="postgres" x="${LEFT + 84}" y="32" width="12" height="12" rx="2"/><text class="muted" x="${LEFT + 102}" y="43">Postgres</text>
${bars.map((bar, i) => rowOf(bar, TOP + i * ROW, scale)).join('\n')}
<text class="muted" x="0" y="${height - 6}" font-size="12">${note}</text>
</svg>
`
}

function barOf({ name, rounds }: SubjectMeasurements): Bar | undefined {
  const of = (part: 'server' | 'postgres') =>
    computeMedian(rounds.map((round: ServerMeasurement) => round.processorTime?.[part] ?? 0))
  const bar = { name: NAMES[name] ?? name, server: of('server'), postgres: of('postgres') }
  return bar.server > 0 ? bar : undefined
}

function rowOf({ name, server, postgres }: Bar, y: number, scale: number): string {
  const [first, second] = [server * scale, postgres * scale]
  const figures = `${Math.round(server)} + ${Math.round(postgres)}`
  return [
    `<text x="${LEFT - 12}" y="${y + 18}" text-anchor="end">${name}</text>`,
    `<rect class="server" x="${LEFT}" y="${y}" width="${first.toFixed(1)}" height="${BAR}" rx="3"/>`,
    `<rect class="postgres" x="${(LEFT + first + 2).toFixed(1)}" y="${y}" width="${second.toFixed(1)}" height="${BAR}" rx="3"/>`,
    `<text class="muted" x="${(LEFT + first + second + 12).toFixed(1)}" y="${y + 18}">${figures}</text>`,
  ].join('')
}
