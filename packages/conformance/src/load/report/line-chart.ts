/** Line charts in SVG. Each axis maps its values onto 0 to 1, so an axis can be logarithmic. */
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'

export interface ChartLine {
  readonly name: string
  readonly className: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface AxisMark {
  readonly at: number
  readonly label: string
}

export interface LineChart {
  readonly title: string
  readonly x: ChartAxis
  readonly y: ChartAxis
  readonly lines: readonly ChartLine[]
}

export interface ChartAxis {
  readonly label: string
  /** Returns a value from 0 to 1. */
  readonly place: (value: number) => number
  readonly marks: readonly AxisMark[]
}

const [WIDTH, HEIGHT] = [900, 320]
const BOX = { left: 84, right: 20, top: 16, bottom: 52 }
const [INNER_WIDTH, INNER_HEIGHT] = [WIDTH - BOX.left - BOX.right, HEIGHT - BOX.top - BOX.bottom]

export function renderLineChart({ title, x, y, lines }: LineChart): string {
  const toX = (value: number) => roundToTenth(BOX.left + x.place(value) * INNER_WIDTH)
  const toY = (value: number) => roundToTenth(BOX.top + (1 - y.place(value)) * INNER_HEIGHT)
  const [bottom, right] = [HEIGHT - BOX.bottom, WIDTH - BOX.right]
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">`,
    ...y.marks.map(
      ({ at, label }) =>
        `<line class="grid" x1="${BOX.left}" x2="${right}" y1="${toY(at)}" y2="${toY(at)}"/>` +
        `<text class="end" x="${BOX.left - 8}" y="${roundToTenth(toY(at) + 4)}">${escapeMarkup(label)}</text>`,
    ),
    ...x.marks.map(
      ({ at, label }) => `<text class="middle" x="${toX(at)}" y="${bottom + 20}">${escapeMarkup(label)}</text>`,
    ),
    `<text class="middle" x="${BOX.left + INNER_WIDTH / 2}" y="${HEIGHT - 10}">${escapeMarkup(x.label)}</text>`,
    ...lines.map(({ className, points }) => {
      const path = points.map(([px, py]) => `${toX(px)},${toY(py)}`).join(' ')
      return `<polyline class="${className}" points="${path}"/>`
    }),
    '</svg>',
    `<p class="legend">${escapeMarkup(y.label)}: ${lines.map(({ name, className }) => `<span class="${className}">${escapeMarkup(name)}</span>`).join(' ')}</p>`,
  ].join('\n')
}

function roundToTenth(value: number): number {
  return Math.floor(value * 10) / 10
}

/** The marks are powers of ten around all values, which are above 0. */
export function createLogAxis(label: string, values: readonly number[], name: (value: number) => string): ChartAxis {
  const exponents = values.map((value) => Math.log10(Math.max(1, value)))
  const low = Math.floor(Math.min(...exponents, 0 + (exponents[0] ?? 0)))
  const high = Math.max(low + 1, Math.ceil(Math.max(...exponents, low)))
  const marks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
  return {
    label,
    place: (value) => (Math.log10(Math.max(1, value)) - low) / (high - low),
    marks: marks.map((at) => ({ at, label: name(at) })),
  }
}

/** Starts at 0 and has at most five marks, all whole numbers. */
export function createLinearAxis(label: string, top: number, name: (value: number) => string): ChartAxis {
  const end = Math.max(1, top)
  const step = Math.ceil(end / 4)
  const places = [0, 1, 2, 3, 4].map((i) => i * step).filter((at) => at <= end)
  return { label, place: (value) => value / end, marks: places.map((at) => ({ at, label: name(at) })) }
}
