/**
 * HTML page of the load report: verdict on the money, latency over time and by percentile, players.
 */

import { PAGE_STYLE, renderHtmlPage } from '@purser/runtime/text/html-page'
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import type { Percentiles } from './latency-histogram.ts'
import { type ChartLine, createLinearAxis, createLogAxis, renderLineChart } from './line-chart.ts'
import type { LoadReport, ReportedInterval, ReportedPlayer } from './load-report.ts'
import { describeMoneyVerdict, formatOutcomeDetails, formatRowCells } from './report-text.ts'

const PAGE_LAYOUT = `${PAGE_STYLE}
header.undecided { border-color: var(--warn); }
.undecided h1 strong { color: var(--warn); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
.wide { overflow-x: auto; }
th, td { text-align: right; padding: .25rem .5rem; border-top: 1px solid var(--line); }
th:first-child, td:first-child, td.text, th.text { text-align: left; overflow-wrap: anywhere; }
tr.wrong td { color: var(--bad); font-weight: 600; }
tr.undecided td { color: var(--warn); }
svg { width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
svg text { fill: var(--soft); font-size: 13px; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--line); }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
polyline.p50 { stroke: var(--good); }
polyline.p99 { stroke: var(--warn); }
polyline.max { stroke: var(--bad); }
.legend { margin: .25rem 0 0; color: var(--soft); font-size: .9rem; }
.legend span { margin-left: 1rem; font-weight: 600; }
.legend .p50 { color: var(--good); }
.legend .p99 { color: var(--warn); }
.legend .max { color: var(--bad); }
`

/** Players on the page, the worst first. The JSON report has all. */
const MAX_PLAYERS = 10_000
const US_PER_MS = 1_000

export function renderLoadHtml(report: LoadReport): string {
  const headline = describeMoneyVerdict(report)
  return renderHtmlPage({
    title: `${headline} ${report.target}`,
    style: PAGE_LAYOUT,
    body: [
      ...header(report, headline),
      '<main>',
      ...latency(report),
      ...charts(report),
      ...players(report),
      '</main>',
      `<footer><p>Measured by purser ${escapeMarkup(report.version)}. Latency counts from the time at which a call was due, and a call without an answer counts until it was given up.</p></footer>`,
    ],
  })
}

function header({ target, startedAt, loadMs, asked, notes, money }: LoadReport, headline: string): string[] {
  const when = startedAt.toISOString()
  const how = [
    `${asked.rate} calls a second asked`,
    `mix ${asked.mix}`,
    `${asked.players} players, zipf ${asked.zipf}`,
    `seed ${asked.seed}`,
    `workers ${asked.workers}, connections ${asked.connections}`,
  ]
  return [
    `<header class="${money === 'wrong' ? 'bad' : money}">`,
    '<p class="kicker">Wallet under load</p>',
    `<h1><strong>${escapeMarkup(headline)}</strong></h1>`,
    `<p>${escapeMarkup(target)}, <time datetime="${when}">${when.slice(0, 10)} ${when.slice(11, 16)} UTC</time>, ${Math.floor(loadMs / 1_000)} s</p>`,
    `<ul class="notes">${[...how, ...notes].map((note) => `<li>${escapeMarkup(note)}</li>`).join('')}</ul>`,
    '</header>',
  ]
}

function latency({ rows }: LoadReport): string[] {
  const names = ['', 'calls', 'a second', 'accepted', 'refused', 'no answer', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms']
  return [
    '<h2>Calls</h2>',
    ...table(
      names.map((name) => `<th>${name}</th>`),
      rows.map(
        (row) =>
          `<tr>${formatRowCells(row)
            .map((cell) => `<td>${escapeMarkup(cell)}</td>`)
            .join('')}</tr>`,
      ),
    ),
    ...formatOutcomeDetails(rows).map((line) => `<p>${escapeMarkup(line)}</p>`),
  ]
}

function charts({ intervals, curve, rows }: LoadReport): string[] {
  const measured = intervals.flatMap(({ latency, ...rest }) => (latency === undefined ? [] : [{ ...rest, latency }]))
  if (measured.length === 0) return []
  const name = (us: number) => `${us / US_PER_MS} ms`
  const times = createLogAxis(
    'latency',
    measured.flatMap(({ latency }) => [latency.p50, latency.max]),
    name,
  )
  const line = (className: keyof Percentiles & ('p50' | 'p99' | 'max')): ChartLine => ({
    ...{ name: className, className },
    points: measured.map(({ from, latency }) => [from, latency[className]]),
  })
  const calls = rows.at(-1)?.calls ?? 0
  return [
    '<h2>Latency over time</h2>',
    renderLineChart({
      title: 'Latency over the time of the load',
      x: createLinearAxis(
        'seconds after the start at which the call was due',
        measured.at(-1)?.from ?? 0,
        (s) => `${s} s`,
      ),
      y: times,
      lines: [line('p50'), line('p99'), line('max')],
    }),
    ...failures(intervals),
    '<h2>Percentiles</h2>',
    renderLineChart({
      title: 'Latency by percentile of the calls',
      x: percentAxis(calls),
      y: createLogAxis(
        'latency',
        curve.map(({ us }) => us),
        name,
      ),
      lines: [{ name: `of ${calls} calls`, className: 'p99', points: curve.map(({ percent, us }) => [percent, us]) }],
    }),
  ]
}

function failures(intervals: readonly ReportedInterval[]): string[] {
  const bad = intervals.filter(({ failed }) => failed > 0)
  if (bad.length === 0) return []
  const seconds = bad.map(({ from, failed, calls }) => `${from} s: ${failed} of ${calls}`)
  return [`<p>Calls without an answer, by the second at which they were due: ${escapeMarkup(seconds.join(', '))}.</p>`]
}

/** Logarithmic: each unit to the right divides the share of slower calls by ten. */
function percentAxis(calls: number) {
  const end = Math.log10(Math.max(10, calls))
  const marks = [0, 50, 90, 99, 99.9, 99.99, 99.999].filter((percent) => nines(percent) <= end)
  return {
    label: 'per cent of the calls that were at least as quick',
    place: (percent: number) => Math.min(1, nines(percent) / end),
    marks: marks.map((at) => ({ at, label: `${at} %` })),
  }
}

function nines(percent: number): number {
  return percent >= 100 ? Number.POSITIVE_INFINITY : -Math.log10(1 - percent / 100)
}

function players({ players }: LoadReport): string[] {
  const head = ['player', 'currency', 'before', 'expected', 'actual', 'difference', ''].map(
    (name) => `<th>${name}</th>`,
  )
  const hidden = players.length - MAX_PLAYERS
  return [
    '<h2>Money of every player</h2>',
    ...table(head, players.slice(0, MAX_PLAYERS).map(playerRow)),
    ...(hidden > 0 ? [`<p>And ${hidden} more: a report in .json has them.</p>`] : []),
  ]
}

function playerRow({ userId, currency, verdict, before, expected, actual, difference, why }: ReportedPlayer): string {
  const cells = [
    userId,
    currency,
    before,
    expected,
    actual ?? 'not known',
    difference ?? '',
    [verdict, why].filter(Boolean).join(': '),
  ]
  return `<tr class="${verdict}">${cells.map((cell, i) => `<td${i === 6 ? ' class="text"' : ''}>${escapeMarkup(cell)}</td>`).join('')}</tr>`
}

function table(head: readonly string[], rows: readonly string[]): string[] {
  return [
    '<div class="wide"><table>',
    `<thead><tr>${head.join('')}</tr></thead>`,
    '<tbody>',
    ...rows,
    '</tbody>',
    '</table></div>',
  ]
}
