/**
 * Tables with a row per day, one table per currency: GGR, its breakdown, and player balances. A
 * column that is zero on all days is omitted.
 */

import { isZero } from '@purser/timeline/amount-text'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { amountText } from '../../shared/charts/format.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import { computeGgr, type Dimension, groupAndSum, NONE_OF, type ReportRow } from './day-sums.ts'

interface Column {
  readonly name: string
  /** The column is shown even if it is zero on all days. */
  readonly isAlways?: boolean
  /** A value at the end of a day, which has no sum over days. */
  readonly isLevel?: boolean
  of(row: ReportRow): string
}

/** Signs are from the house's view, as on the Finance page. The columns before GGR add up to it. */
const RESULT: readonly Column[] = [
  { name: 'Stakes', isAlways: true, of: (row) => computeGgr(row).staked },
  { name: 'Refunds', of: (row) => computeGgr(row).refunded },
  { name: 'Payouts', isAlways: true, of: (row) => computeGgr(row).paid },
  { name: 'Change in open stakes', isAlways: true, of: (row) => computeGgr(row).held },
  { name: 'GGR', isAlways: true, of: ({ ggr }) => ggr },
]

const OF_PLAYERS: readonly Column[] = [
  { name: 'Deposits', of: ({ deposits }) => deposits },
  { name: 'Withdrawals', of: ({ withdrawals }) => withdrawals },
  { name: 'Adjustments', of: ({ adjustments }) => adjustments },
  { name: 'Openings', of: ({ openings }) => openings },
]
const HAVE: Column = {
  ...{ name: 'Closing balances', isAlways: true, isLevel: true },
  of: ({ accounts }) => accounts.player.closing,
}

/** Components of the GGR, with the report's signs. */
const PARTS: readonly Column[] = [
  { name: 'Payout reversals', of: ({ resettlements }) => resettlements },
  { name: 'Promotion stakes', of: ({ promotionStakes }) => promotionStakes },
  { name: 'Promotion refunds', of: ({ promotionRefunds }) => promotionRefunds },
  { name: 'Promotion payouts', of: ({ promotionPayouts }) => promotionPayouts },
  { name: 'Promotion payout reversals', of: ({ promotionResettlements }) => promotionResettlements },
]

const SPLITS: Readonly<Record<Dimension, string>> = { brand: 'Brand', platform: 'Platform', site: 'Site' }

/** Balances are not split by platform or site. */
export function DayTables({ rows, by }: { rows: readonly ReportRow[]; by: string }) {
  const split = (Object.keys(SPLITS) as Dimension[]).find((one) => one === by)
  const common = { rows, split }
  return (
    <>
      <Days
        {...common}
        columns={RESULT}
        title="GGR"
        description="stakes, refunds, payouts and the change in open stakes, combined"
      >
        <p className="result-says muted small">
          A stake counts when its bet is settled. A negative change in open stakes means that the open stakes have
          grown.
        </p>
      </Days>
      <Days
        {...common}
        columns={PARTS}
        title="Breakdown"
        description="payout reversals, and the stakes and payouts of promotions"
      />
      <Days
        {...common}
        columns={split === 'platform' || split === 'site' ? OF_PLAYERS : [...OF_PLAYERS, HAVE]}
        noneOf={{ ...NONE_OF, platform: 'no platform' }}
        title="Player balances"
        description="deposits, withdrawals and adjustments, without bets"
      />
    </>
  )
}

interface DaysProps {
  readonly rows: readonly ReportRow[]
  readonly split: Dimension | undefined
  readonly columns: readonly Column[]
  readonly title: string
  readonly description: string
  readonly noneOf?: typeof NONE_OF
  readonly children?: ReactNode
}

/** Absent without such money. Days without it are omitted. */
function Days({ rows, split, columns, title, description, noneOf = NONE_OF, children }: DaysProps) {
  const isMoved = (row: ReportRow) => columns.some(({ isAlways, of }) => isAlways || !isZero(of(row)))
  const shown = columns.filter(({ isAlways, of }) => isAlways || rows.some((row) => !isZero(of(row))))
  if (shown.length === 0) return null
  const keyOf = (row: ReportRow) => JSON.stringify([row.day, row.currency, split && (row[split] ?? '')])
  const days = groupAndSum(rows, keyOf, split)
    .filter(isMoved)
    .toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0))
  const sums = groupAndSum(rows, ({ currency }) => currency).filter(({ currency }) =>
    days.some((row) => row.currency === currency),
  )
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="muted small">{description}</span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it */}
      <section className="scroll" aria-label={`${title}, by day`} tabIndex={0}>
        <table className="list report of-days">
          <thead>
            <tr>
              <th>Day</th>
              <th>Currency</th>
              {split !== undefined && <th>{SPLITS[split]}</th>}
              {shown.map(({ name }) => (
                <th key={name} className="num">
                  {name}
                </th>
              ))}
              <th>Status</th>
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
                      {row[split] ?? <span className="muted">{noneOf[split]}</span>}
                    </span>
                  </td>
                )}
                <Amounts row={row} shown={shown} />
                <td>
                  <Badge tone={row.final ? 'plain' : 'open'}>{row.final ? 'Final' : 'In progress'}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {sums.map((row) => (
              <tr key={row.currency}>
                <th scope="row">Total</th>
                <td>{row.currency}</td>
                {split !== undefined && <td />}
                <Amounts row={row} shown={shown} isSum />
                <td />
              </tr>
            ))}
          </tfoot>
        </table>
      </section>
      {children}
    </section>
  )
}

function Amounts({ row, shown, isSum = false }: { row: ReportRow; shown: readonly Column[]; isSum?: boolean }) {
  return shown.map(({ name, isLevel, of }) => (
    <td key={name} className={isZero(of(row)) ? 'num muted' : 'num'}>
      {!(isSum && isLevel) && amountText(of(row))}
    </td>
  ))
}
