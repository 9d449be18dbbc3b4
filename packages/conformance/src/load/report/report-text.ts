/**
 * Terminal text of the load report. The verdict on the money is last, where the user looks first.
 */
import { styleText } from 'node:util'
import { printable } from '@purser/runtime/text/printable-text'
import type { MoneyVerdict } from '../money-verdict.ts'
import type { LoadReport, LoadReportRow, ReportedPlayer } from './load-report.ts'

export type LoadPaint = (style: 'red' | 'green' | 'yellow' | 'dim', text: string) => string
export const plainLoadPaint: LoadPaint = (_style, text) => text
export const colouredLoadPaint: LoadPaint = (style, text) => styleText(style, text, { validateStream: false })

const HEAD = ['', 'calls', 'a second', 'accepted', 'refused', 'no answer', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms']
/** Players on the terminal. The report file has all. */
const MAX_SHOWN = 20

export function formatLoadReport(report: LoadReport, paint: LoadPaint): string {
  const { asked, notes } = report
  const how = `${asked.rate} a second, ${asked.mix}, ${asked.players} players, zipf ${asked.zipf}, seed ${asked.seed}`
  return [
    ...formatTable(report),
    '',
    ...formatOutcomeDetails(report.rows),
    ...[how, ...notes].map((note) => paint('dim', note)),
    ...formatMoneyLines(report, paint),
    '',
  ].join('\n')
}

function formatTable({ rows }: LoadReport): string[] {
  const cells = [HEAD, ...rows.map(formatRowCells)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}

export function formatRowCells({
  kind,
  calls,
  perSecond,
  accepted,
  refused,
  unanswered,
  latency,
}: LoadReportRow): string[] {
  const times = [latency?.p50, latency?.p99, latency?.p999, latency?.max].map((us) =>
    us === undefined ? '–' : formatAsMilliseconds(us),
  )
  return [kind, ...[calls, perSecond, accepted, sumCounts(refused), sumCounts(unanswered)].map(String), ...times]
}

export function formatOutcomeDetails(rows: readonly LoadReportRow[]): string[] {
  return rows.flatMap(({ kind, refused, unanswered }) => {
    const codes = Object.entries(refused).map(([code, calls]) => `code ${code}: ${calls}`)
    const reasons = Object.entries(unanswered).map(([reason, calls]) => `${reason.replace('_', ' ')}: ${calls}`)
    const found = [...codes, ...reasons]
    return found.length === 0 || kind === 'all' ? [] : [`${kind}: ${found.join(', ')}`]
  })
}

function sumCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, calls) => total + calls, 0)
}

const US_PER_MS = 1_000
const TWO_PLACES = new Intl.NumberFormat('en-US', {
  useGrouping: false,
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** "1.25" */
export function formatAsMilliseconds(us: number): string {
  return TWO_PLACES.format(us / US_PER_MS)
}

const COLOURS = { right: 'green', wrong: 'red', undecided: 'yellow' } as const satisfies Record<MoneyVerdict, string>

function formatMoneyLines({ money, players }: LoadReport, paint: LoadPaint): string[] {
  const bad = players.filter(({ verdict }) => verdict !== 'right')
  const hidden = bad.length - MAX_SHOWN
  return [
    ...bad.slice(0, MAX_SHOWN).map((player) => paint(COLOURS[player.verdict], `  ${formatPlayerLine(player)}`)),
    ...(hidden > 0 ? [`  and ${hidden} more: --report FILE has all`] : []),
    paint(COLOURS[money], describeMoneyVerdict({ money, players })),
  ]
}

export function describeMoneyVerdict({ money, players }: Pick<LoadReport, 'money' | 'players'>): string {
  const count = (verdict: MoneyVerdict) => players.filter((player) => player.verdict === verdict).length
  switch (money) {
    case 'right':
      return `The money is right: all ${players.length} balances are correct.`
    case 'wrong':
      return `The money is wrong: ${count('wrong')} of ${players.length} balances ${count('wrong') === 1 ? 'is' : 'are'} not the expected one.`
    case 'undecided':
      if (count('undecided') === 0) return 'The money is undecided: no call moved money, so nothing was tested.'
      return `The money is undecided: the expected balance of ${count('undecided')} of ${players.length} players is not known.`
    default:
      return money satisfies never
  }
}

export function formatPlayerLine({
  userId,
  currency,
  verdict,
  before,
  expected,
  actual,
  difference,
  why,
}: ReportedPlayer): string {
  const amounts = `before ${before}, expected ${expected}, actual ${actual ?? 'not known'} ${currency}`
  const isOff = verdict === 'wrong' && difference !== undefined
  const off = isOff ? ` (${difference.startsWith('-') ? '' : '+'}${difference})` : ''
  return printable(`${verdict} ${userId}: ${amounts}${off}${why === undefined ? '' : `: ${why}`}`)
}
