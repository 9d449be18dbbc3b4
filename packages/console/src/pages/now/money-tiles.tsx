/** Tiles of the Overview: open stakes, payouts of today, and the GGR of today and yesterday. */

import { isZero } from '@purser/timeline/amount-text'
import { useQuery } from '@tanstack/react-query'
import { getJson } from '../../app/console-api.ts'
import { MONEY_LIVE } from '../../app/live-updates.tsx'
import { DAY_MS, dayOf } from '../../shared/charts/days.ts'
import { StaleNotice } from '../../shared/controls/page-states.tsx'
import { computeGgr, groupAndSum, negateAmount, type ReportRow } from '../reports/day-sums.ts'
import { AmountLines, FigureTile, unknownFigure } from './figure-tile.tsx'

export function MoneyTiles() {
  const now = Date.now()
  const [today, yesterday] = [dayOf(now), dayOf(now - DAY_MS)]
  const result = useQuery({
    queryKey: ['money', yesterday, today],
    queryFn: ({ signal }) =>
      getJson<{ data: ReportRow[] }>(`/operator/reports/daily?from=${yesterday}&to=${today}`, signal),
    meta: MONEY_LIVE,
  })
  const rowsOf = (day: string) =>
    groupAndSum(result.data?.data.filter((row) => row.day === day) ?? [], ({ currency }) => currency)
  const shown = (day: string, of: (row: ReportRow) => string) =>
    result.data === undefined ? unknownFigure(result.error) : <Amounts of={rowsOf(day)} amountOf={of} />
  const isNothing = (day: string) => result.data !== undefined && rowsOf(day).length === 0
  const moved = (day: string) => (isNothing(day) ? 'no activity' : undefined)
  return (
    <>
      <FigureTile name="Open stakes" href="/bets?status=open" note="stakes of bets without a result">
        {shown(today, ({ accounts }) => accounts.open_stakes.closing)}
      </FigureTile>
      <FigureTile name="Payouts today" href={`/money?day=${today}`} note="since midnight UTC, less payout reversals">
        {shown(today, (row) => negateAmount(computeGgr(row).paid))}
      </FigureTile>
      <FigureTile
        name="GGR today"
        href={`/money?day=${today}`}
        note={moved(today) ?? 'gross gaming revenue since midnight UTC'}
      >
        {shown(today, ({ ggr }) => ggr)}
      </FigureTile>
      <FigureTile
        name="GGR yesterday"
        href={`/money?day=${yesterday}`}
        note={moved(yesterday) ?? `gross gaming revenue on ${yesterday}, UTC`}
      >
        {shown(yesterday, ({ ggr }) => ggr)}
      </FigureTile>
      <StaleNotice of={result} />
    </>
  )
}

/** Zero amounts are omitted, unless all are zero. */
function Amounts({ of: rows, amountOf }: { of: readonly ReportRow[]; amountOf: (row: ReportRow) => string }) {
  const all = rows.map((row) => ({ currency: row.currency, amount: amountOf(row) }))
  const some = all.filter(({ amount }) => !isZero(amount))
  if (all.length === 0) return <span className="muted">–</span>
  return <AmountLines of={some.length === 0 ? all.slice(0, 1) : some} />
}
