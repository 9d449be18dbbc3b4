/** What the house earned with the bets of a day, by currency, and how that comes about. */
import { Link } from 'wouter'
import { isZero } from '../../../src/timeline/amount-text.ts'
import { dayOf } from '../days.ts'
import { amountText } from '../format.tsx'
import { dayFigureLink } from './day-links.ts'
import { computeGgr, type ReportRow, sumReportRows } from './day-sums.ts'

const COLUMNS = {
  staked: 'Staked',
  refunded: 'Refunded',
  paid: 'Paid out',
  held: 'Held in play',
  result: 'Result',
} as const

function describeDay(day: string, isFinal: boolean): string {
  if (isFinal) return `of ${day}, UTC`
  return day === dayOf(Date.now()) ? 'since midnight UTC, still counting' : `of ${day}, UTC, not closed yet`
}

export function DailyGgr({ rows, day }: { rows: readonly ReportRow[]; day: string }) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  const results = currencies.map((one) => computeGgr(sumReportRows(rows.filter(({ currency }) => currency === one))))
  const columns = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
  const isFinal = rows.every(({ final }) => final)
  const isWrong = results.some(({ rest }) => !isZero(rest))
  return (
    <section className="card" aria-label="Result of the day">
      <header>
        <h2>Result of the day</h2>
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
      {isWrong && <p className="ties bad">This does not add up: look at the audit, under Reports.</p>}
      <p className="result-says muted small">
        What the house earned with bets that were decided on this day: their stakes less what was paid for them,
        corrections and freebets included. A stake counts when its bet is decided; until then it is in play and
        nobody’s. Refunded is what Rollbacks gave back; the stake of a void bet is paid out. Costs of promotions,
        adjustments, fees and taxes are not taken off.
      </p>
    </section>
  )
}
