/** Chart of a player's balance as a step line, with marks for the player's bets. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { formatTransferKind } from '@purser/timeline/moment-text'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import { formatTimeLabels, type Zone } from '../../shared/charts/chart-times.ts'
import { amountText, Time } from '../../shared/charts/format.tsx'
import { AXIS, Plot, type PlotOptions, token } from '../../shared/charts/time-plot.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { EmptyState } from '../../shared/controls/page-states.tsx'
import { downloadText } from '../../shared/data/file-download.ts'
import { isOfBet, type StatementRow as Row, type StatementPage } from '../../shared/data/statement.ts'

const HEIGHT = 220

interface ChartProps {
  readonly of: StatementPage
  readonly currency: string
  readonly user: string
}

export function BalanceChart({ of: { data: rows, next, archived }, currency, user }: ChartProps) {
  const steps = useMemo(() => rows.toReversed(), [rows])
  const [at, setAt] = useState<number>()
  const point = useRef(setAt)
  const options = useCallback((zone: Zone) => buildPlotOptions(zone, (next) => point.current(next)), [])
  const data = useMemo(() => toPlotData(steps), [steps])
  const shown = at === undefined ? undefined : steps[Math.min(Math.max(at, 1), steps.length) - 1]
  const [first, last] = [steps[0], steps.at(-1)]
  return (
    <section className="card" aria-label="Balance">
      <Head>
        {first !== undefined && (
          <button
            type="button"
            className="button quiet"
            onClick={() => downloadText('purser-balance.csv', toCsv(steps))}
          >
            CSV
          </button>
        )}
      </Head>
      {first === undefined && archived !== undefined ? (
        <EmptyState title="All transfers are archived in files." />
      ) : first === undefined || last === undefined ? (
        <EmptyState title="No balance changes yet.">
          <p>The chart starts with the first deposit.</p>
        </EmptyState>
      ) : (
        <div className="body balance-chart">
          <p className="muted small readout">
            {shown === undefined ? (
              `Hover for values. The chart shows ${next === null ? 'all' : `the newest ${steps.length}`} transfers of the statement below.`
            ) : (
              <>
                <Time at={shown.at} /> · {formatTransferKind(shown.kind)} {formatSigned(shown.amount)}, balance{' '}
                {amountText(shown.balance)} {currency}
                {shown.transactionId !== undefined && (
                  <>
                    {' '}
                    · bet{' '}
                    <ShortId
                      id={shown.transactionId}
                      href={`/bets/${encodePathSegment(user)}/${encodePathSegment(shown.transactionId)}`}
                    />
                  </>
                )}
              </>
            )}
          </p>
          <Plot
            options={options}
            data={data}
            height={HEIGHT}
            description={`The balance in ${currency} after each of ${steps.length} transfers: first ${amountText(first.balance)}, last ${amountText(last.balance)}`}
          />
        </div>
      )}
    </section>
  )
}

/** Same height as the chart, so that the page does not move. */
export function BalanceChartSkeleton() {
  return (
    <section className="card" role="status" aria-label="Loading the balance">
      <Head>
        <button type="button" className="button quiet" disabled>
          CSV
        </button>
      </Head>
      <div className="body balance-chart">
        <p className="muted small readout">…</p>
        <div className="plot" />
      </div>
    </section>
  )
}

function Head({ children }: { children: ReactNode }) {
  return (
    <header>
      <h2>Balance</h2>
      <span className="keys">
        <span className="key staked">Stakes and reversals</span>
        <span className="key paid">Payouts and refunds</span>
        <span className="key cash">Other transfers</span>
      </span>
      <span className="spring" />
      {children}
    </header>
  )
}

function toCsv(steps: readonly Row[]): string {
  const lines = steps.map(({ at, kind, amount, balance, currency, transactionId = '' }) =>
    [at, kind, amount, balance, currency, `"${transactionId.replaceAll('"', '""')}"`].join(','),
  )
  return `${['at,kind,amount,balance,currency,bet', ...lines].join('\r\n')}\r\n`
}

/**
 * Floating point is enough for drawing; visible numbers are the API's own text. The first point is
 * the balance before the first transfer, and the last point is now.
 */
function toPlotData(steps: readonly Row[]): uPlot.AlignedData {
  const [first] = steps
  if (first === undefined) return [[], []]
  const seconds = steps.map(({ at }) => Date.parse(at) / 1_000)
  const balances = steps.map(({ balance }) => Number(balance))
  const [begin = 0, now] = [seconds[0], Date.now() / 1_000]
  const mark = (is: (row: Row) => boolean) => [
    null,
    ...steps.map((row, i) => (is(row) ? (balances[i] ?? null) : null)),
    null,
  ]
  return [
    [begin, ...seconds, Math.max(now, seconds.at(-1) ?? now)],
    [(balances[0] ?? 0) - Number(first.amount), ...balances, balances.at(-1) ?? 0],
    mark((row) => isOfBet(row) && row.amount.startsWith('-')),
    mark((row) => isOfBet(row) && !row.amount.startsWith('-')),
    mark((row) => !isOfBet(row)),
  ]
}

const stepped = uPlot.paths.stepped?.({ align: 1 })
/** Points without a line. */
const marks = (stroke: string, fill: string, size: number): uPlot.Series => ({
  ...{ stroke: token(stroke), width: 0, paths: () => null },
  points: { show: true, size, width: 2, stroke: token(stroke), fill: token(fill) },
})

/** The axis is higher if labels have a day below the time. */
const axisSize = (_: uPlot, labels: string[] | null) => (labels?.some((label) => label.includes('\n')) ? 46 : 28)

/** Pixels: per digit, the padding of a label, and the least width. */
const [DIGIT_PX, LABEL_PADDING_PX, LEAST_PX] = [7, 16, 72]
const axisWidth = (_: uPlot, labels: string[] | null) =>
  Math.max(LEAST_PX, ...(labels ?? []).map((label) => LABEL_PADDING_PX + DIGIT_PX * label.length))

/** The readout keeps the last hovered point, so that its link can be clicked. */
function buildPlotOptions(zone: Zone, point: (at: number) => void): PlotOptions {
  const labels = (_: uPlot, at: number[]) => formatTimeLabels(zone, at, Date.now() / 1_000)
  return {
    series: [
      {},
      { stroke: token('--accent'), width: 2, points: { show: false }, ...(stepped && { paths: stepped }) },
      marks('--open', '--surface', 8),
      marks('--good', '--good', 7),
      marks('--muted', '--line', 9),
    ],
    scales: {
      x: { range: (_, first, last) => (last > first ? [first, last] : [first - 60, first + 60]) },
      y: {
        range: (_, least, most) => (most > least ? uPlot.rangeNum(least, most, 0.12, true) : [least - 1, most + 1]),
      },
    },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [({ cursor: { idx } }) => void (typeof idx === 'number' && point(idx))] },
    padding: [10, 36, 0, 0], // room for half of the last label
    axes: [
      { ...AXIS, grid: { show: false }, size: axisSize, space: 70, values: labels },
      { ...AXIS, size: axisWidth, space: 34 },
    ],
  }
}
