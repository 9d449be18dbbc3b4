/** A row per day and currency, with what is zero in all of them left out, and the sums of each currency below. */
import { Link } from 'wouter'
import { amountText } from '../format.tsx'
import { Badge } from '../parts.tsx'
import { added, isZero, type ReportRow } from './money-days.ts'

/** `true`: shown even where it is zero everywhere. */
const COLUMNS = [
  ['deposits', 'Deposits', false],
  ['withdrawals', 'Withdrawals', false],
  ['stakes', 'Stakes', true],
  ['refunds', 'Refunds', false],
  ['payouts', 'Payouts', true],
  ['resettlements', 'Resettled', false],
  ['promotionStakes', 'Promotions’ stakes', false],
  ['promotionRefunds', 'Promotions’ refunds', false],
  ['promotionPayouts', 'Promotions’ payouts', false],
  ['promotionResettlements', 'Promotions, resettled', false],
  ['adjustments', 'Adjustments', false],
  ['openings', 'Openings', false],
  ['ggr', 'Result', true],
] as const

type Split = 'brand' | 'platform'

export function DayTable({ rows, by }: { rows: readonly ReportRow[]; by: string }) {
  const split: Split | undefined = by === 'brand' || by === 'platform' ? by : undefined
  const keyOf = (row: ReportRow) => JSON.stringify([row.day, row.currency, split && (row[split] ?? '')])
  const days = grouped(rows, keyOf, split).toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0))
  const sums = grouped(rows, ({ currency }) => currency)
  const shown = COLUMNS.filter(([name, , isAlways]) => isAlways || rows.some((row) => !isZero(row[name])))
  return (
    <section className="card" aria-label="Days">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys */}
      <section className="scroll" aria-label="What each day came to" tabIndex={0}>
        <table className="list report">
          <thead>
            <tr>
              <th>Day</th>
              <th>Currency</th>
              {split !== undefined && <th>{split === 'brand' ? 'Brand' : 'Platform'}</th>}
              {shown.map(([name, title]) => (
                <th key={name} className="num">
                  {title}
                </th>
              ))}
              {split !== 'platform' && <th className="num">Players have</th>}
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {days.map((row) => (
              <tr key={keyOf(row)}>
                <td className="num day-of">
                  <Link href={`/money?day=${row.day}`}>{row.day}</Link>
                </td>
                <td>{row.currency}</td>
                {split !== undefined && (
                  <td>
                    <span className="cut" title={row[split] ?? ''}>
                      {row[split] ?? <span className="muted">without a name</span>}
                    </span>
                  </td>
                )}
                <Amounts row={row} shown={shown} />
                {split !== 'platform' && <td className="num">{amountText(row.accounts.player.closing)}</td>}
                <td>
                  <Badge tone={row.final ? 'plain' : 'open'}>{row.final ? 'Kept' : 'Counting'}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {sums.map((row) => (
              <tr key={row.currency}>
                <th scope="row">Together</th>
                <td>{row.currency}</td>
                {split !== undefined && <td />}
                <Amounts row={row} shown={shown} />
                <td colSpan={split === 'platform' ? 1 : 2} />
              </tr>
            ))}
          </tfoot>
        </table>
      </section>
    </section>
  )
}

function Amounts({ row, shown }: { row: ReportRow; shown: readonly (typeof COLUMNS)[number][] }) {
  return shown.map(([name]) => (
    <td key={name} className={isZero(row[name]) ? 'num muted' : 'num'}>
      {amountText(row[name])}
    </td>
  ))
}

/** What belongs together, added up; a platform's own rows keep its name. */
function grouped(rows: readonly ReportRow[], keyOf: (row: ReportRow) => string, split?: Split): ReportRow[] {
  return [...new Set(rows.map(keyOf))].map((key) => {
    const some = rows.filter((row) => keyOf(row) === key)
    const platform = split === 'platform' ? some[0]?.platform : undefined
    return { ...added(some), ...(platform !== undefined && { platform }) }
  })
}
