/** GGR of a day by currency, with the amounts that add up to it. */

import { isZero } from '@purser/timeline/amount-text'
import { Link } from 'wouter'
import { dayOf } from '../../shared/charts/days.ts'
import { amountText } from '../../shared/charts/format.tsx'
import { dayFigureLink } from './day-links.ts'
import { computeGgr, type ReportRow, sumReportRows } from './day-sums.ts'

const COLUMNS = {
  staked: 'Stakes',
  refunded: 'Refunds',
  paid: 'Payouts',
  held: 'Change in open stakes',
  result: 'GGR',
} as const

function describeDay(day: string, isFinal: boolean): string {
  if (isFinal) return `${day}, UTC`
  return day === dayOf(Date.now()) ? 'since midnight UTC, in progress' : `${day}, UTC, not final yet`
}

export function DailyGgr({ rows, day }: { rows: readonly ReportRow[]; day: string }) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  const results = currencies.map((one) => computeGgr(sumReportRows(rows.filter(({ currency }) => currency === one))))
  const columns = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
  const isFinal = rows.every(({ final }) => final)
  const isWrong = results.some(({ rest }) => !isZero(rest))
  return (
    <section className="card" aria-label="GGR of the day">
      <header>
        <h2>GGR of the day</h2>
        <span className="muted small">{describeDay(day, isFinal)}</span>
      </header>
      <div className="scroll">
        <table className="list result">
          <thead>
            <tr>
              <th>Currency</th>
              {columns.map((name) => (
                <th key={name} className="num">
                  {COLUMNS[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((of, i) => (
              <tr key={currencies[i]}>
                <th scope="row">{currencies[i]}</th>
                {columns.map((name) => (
                  <td key={name} className="num">
                    <Link
                      className="plain"
                      href={dayFigureLink(COLUMNS.result, { day, currency: currencies[i] ?? '' })}
                    >
                      {amountText(of[name])}
                    </Link>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isWrong && <p className="ties bad">The figures do not add up. Run the audit under Reports.</p>}
      <p className="result-says muted small">
        Gross gaming revenue (GGR) is the stakes of bets that were settled on this day, less their payouts. It includes
        corrections and freebets. A stake counts when its bet is settled; until then it is an open stake. Refunds are
        stakes that Rollbacks returned. Payouts include the returned stakes of void bets. Each column is shown as it
        counts for the house: a negative change in open stakes means that they have grown. Costs of promotions,
        adjustments, fees and taxes are not deducted.
      </p>
    </section>
  )
}
