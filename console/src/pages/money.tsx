/** The money of a day: from what was there at midnight to what is there, by currency and brand, and that all accounts sum to zero. */
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { sumOf } from '../../timeline/sum.ts'
import { read } from '../api.ts'
import { amountText } from '../format.tsx'
import { Answer, Badge, Empty } from '../parts.tsx'
import { WaitingAdjustments } from './adjust.tsx'
import './money.css'

interface Row {
  readonly day: string
  readonly currency: string
  readonly brand?: string
  readonly final: boolean
  readonly transfers: number
  readonly deposits: string
  readonly withdrawals: string
  readonly stakes: string
  readonly refunds: string
  readonly payouts: string
  readonly resettlements: string
  readonly adjustments: string
  readonly openings: string
  readonly ggr: string
  readonly accounts: { readonly player: { readonly opening: string; readonly closing: string } }
  readonly sum: string
}

const DAY_MS = 86_400_000
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

export function MoneyPage() {
  const [query, setQuery] = useSearchParams()
  const today = dayOf(Date.now())
  const day = query.get('day') ?? today
  const asked = useQuery({
    queryKey: ['money', day],
    queryFn: ({ signal }) => read<{ data: Row[] }>(`/operator/reports/daily?from=${day}`, signal),
    refetchInterval: day === today ? 5_000 : false,
  })
  const setDay = (next: string) => setQuery({ day: next }, { replace: true })
  return (
    <div className="page">
      <div className="head">
        <h1>Money</h1>
        <span className="spring" />
        <button
          type="button"
          className="button"
          onClick={() => setDay(dayOf(Date.parse(day) - DAY_MS))}
          aria-label="The day before"
        >
          ‹
        </button>
        <label className="day">
          <span className="vh">Day (UTC)</span>
          <input
            type="date"
            value={day}
            max={today}
            onChange={(event) => event.target.value !== '' && setDay(event.target.value)}
          />
        </label>
        <button
          type="button"
          className="button"
          disabled={day >= today}
          onClick={() => setDay(dayOf(Date.parse(day) + DAY_MS))}
          aria-label="The day after"
        >
          ›
        </button>
        <a className="button" href={`/operator/reports/daily?from=${day}`} onClick={(event) => save(event, day)}>
          CSV
        </a>
      </div>
      <WaitingAdjustments />
      <Answer of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <section className="card">
              <Empty title="No money was here on this day.">
                <p>A day is there once something was paid in, in UTC.</p>
              </Empty>
            </section>
          ) : (
            <div className="days">
              {data.map((row) => (
                <Day key={`${row.currency} ${row.brand ?? ''}`} row={row} />
              ))}
            </div>
          )
        }
      </Answer>
    </div>
  )
}

/** The browser's own download would lack our header. */
function save(event: { preventDefault(): void }, day: string): void {
  event.preventDefault()
  void fetch(`/operator/reports/daily?from=${day}`, { headers: { 'x-purser-console': '1', accept: 'text/csv' } })
    .then((answer) => answer.blob())
    .then((blob) => {
      const url = URL.createObjectURL(blob)
      const link = document.createElement('a')
      link.href = url
      link.download = `purser-${day}.csv`
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 1_000)
    })
}

const negative = (amount: string) =>
  amount.startsWith('-') ? amount.slice(1) : /^[0.]+$/.test(amount) ? amount : `-${amount}`

function Day({ row }: { row: Row }) {
  const steps = [
    ['Deposits', row.deposits],
    ['Stakes', negative(row.stakes)],
    ['Payouts', row.payouts],
    ['Refunds', row.refunds],
    ['Resettlements', row.resettlements],
    ['Adjustments', row.adjustments],
    ['Openings', row.openings],
    ['Withdrawals', negative(row.withdrawals)],
  ] as const
  const { opening, closing } = row.accounts.player
  const rest = sumOf([opening, ...steps.map(([, amount]) => amount), negative(closing)])
  const isRight = /^-?[0.]+$/.test(rest) && /^-?[0.]+$/.test(row.sum)
  return (
    <section className="card day-card" aria-label={`${row.currency} ${row.brand ?? ''}`}>
      <header>
        <h2>
          {row.currency}
          {row.brand !== undefined && <span className="muted"> · {row.brand}</span>}
        </h2>
        <span className="spring" />
        <Badge tone={row.final ? 'plain' : 'open'}>{row.final ? 'Kept' : 'Still counting'}</Badge>
      </header>
      <table className="list waterfall">
        <caption className="vh">What the players have, from midnight to now</caption>
        <tbody>
          <Line name="Players had" amount={opening} isEnd />
          {steps
            .filter(([, amount]) => !/^-?[0.]+$/.test(amount))
            .map(([name, amount]) => (
              <Line key={name} name={name} amount={amount} bar={share(amount, steps)} />
            ))}
          <Line name="Players have" amount={closing} isEnd />
        </tbody>
      </table>
      <p className="ties">
        <span>House, from bets</span> <strong className="num">{amountText(row.ggr)}</strong>
      </p>
      <p className={isRight ? 'ties good' : 'ties bad'}>
        <span>{isRight ? 'It adds up, and all accounts sum to' : 'This does not add up'}</span>{' '}
        <strong className="num">{amountText(row.sum)}</strong>
      </p>
    </section>
  )
}

/** Of the longest bar, for the eye only. */
function share(amount: string, steps: readonly (readonly [string, string])[]): number {
  const size = (text: string) => Math.abs(Number(text))
  return (size(amount) / Math.max(...steps.map(([, one]) => size(one)))) * 100
}

function Line({ name, amount, bar, isEnd = false }: { name: string; amount: string; bar?: number; isEnd?: boolean }) {
  const sign = amount.startsWith('-') || isEnd || /^[0.]+$/.test(amount) ? '' : '+'
  return (
    <tr className={isEnd ? 'end' : undefined}>
      <th scope="row">{name}</th>
      <td className="bar-cell">
        {bar !== undefined && (
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect
              className={amount.startsWith('-') ? 'less' : 'more-money'}
              width={Math.max(1, bar)}
              height="8"
              rx="1"
            />
          </svg>
        )}
      </td>
      <td className="num">
        {sign}
        {amountText(amount)}
      </td>
    </tr>
  )
}
