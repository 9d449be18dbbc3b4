/** What is in play, what was paid out today, and what the house earned today and yesterday: as the pages Money and Reports say it. */
import { useQuery } from '@tanstack/react-query'
import { isZero } from '../../../../src/timeline/amounts.ts'
import { read } from '../../api.ts'
import { DAY_MS, dayOf } from '../../days.ts'
import { MONEY_LIVE } from '../../live.tsx'
import { Stale } from '../../parts.tsx'
import { grouped, negated, type ReportRow, resultOf } from '../money-days.ts'
import { AmountLines, Fact, notKnown } from './fact.tsx'

export function MoneyOfDays() {
  const now = Date.now()
  const [today, yesterday] = [dayOf(now), dayOf(now - DAY_MS)]
  const asked = useQuery({
    queryKey: ['money', yesterday, today],
    queryFn: ({ signal }) =>
      read<{ data: ReportRow[] }>(`/operator/reports/daily?from=${yesterday}&to=${today}`, signal),
    meta: MONEY_LIVE,
  })
  const rowsOf = (day: string) =>
    grouped(asked.data?.data.filter((row) => row.day === day) ?? [], ({ currency }) => currency)
  const shown = (day: string, of: (row: ReportRow) => string) =>
    asked.data === undefined ? notKnown(asked.error) : <Amounts of={rowsOf(day)} amountOf={of} />
  const isNothing = (day: string) => asked.data !== undefined && rowsOf(day).length === 0
  const moved = (day: string) => (isNothing(day) ? 'no player had money' : undefined)
  return (
    <>
      <Fact name="In play" href="/bets?status=open" note="stakes of bets without a result">
        {shown(today, ({ accounts }) => accounts.open_stakes.closing)}
      </Fact>
      <Fact name="Paid out today" href={`/money?day=${today}`} note="since midnight UTC, less payout reversals">
        {shown(today, (row) => negated(resultOf(row).paid))}
      </Fact>
      <Fact
        name="Result today"
        href={`/money?day=${today}`}
        note={moved(today) ?? 'what the house earned since midnight UTC'}
      >
        {shown(today, ({ ggr }) => ggr)}
      </Fact>
      <Fact
        name="Result yesterday"
        href={`/money?day=${yesterday}`}
        note={moved(yesterday) ?? `what the house earned on ${yesterday}, UTC`}
      >
        {shown(yesterday, ({ ggr }) => ggr)}
      </Fact>
      <Stale of={asked} />
    </>
  )
}

/** What is none is not shown, unless nothing is. */
function Amounts({ of: rows, amountOf }: { of: readonly ReportRow[]; amountOf: (row: ReportRow) => string }) {
  const all = rows.map((row) => ({ currency: row.currency, amount: amountOf(row) }))
  const some = all.filter(({ amount }) => !isZero(amount))
  if (all.length === 0) return <span className="muted">–</span>
  return <AmountLines of={some.length === 0 ? all.slice(0, 1) : some} />
}
