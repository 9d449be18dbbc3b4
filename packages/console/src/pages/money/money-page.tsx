/**
 * Finance page: the money of a day by currency and brand, and the check that the figures add up.
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { isZero } from '@purser/timeline/amount-text'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { downloadFile, getJson } from '../../app/console-api.ts'
import { MONEY_LIVE } from '../../app/live-updates.tsx'
import { DAY_MS, dayOf } from '../../shared/charts/days.ts'
import { amountText } from '../../shared/charts/format.tsx'
import { DayInput } from '../../shared/controls/day-input.tsx'
import { ActionError, Badge, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { downloadBlob } from '../../shared/data/file-download.ts'
import { WaitingAdjustments } from '../player/adjustment-form.tsx'
import { DailyGgr } from '../reports/daily-ggr.tsx'
import { dayFigureLink } from '../reports/day-links.ts'
import { type DaySums, groupDays, NONE_OF, negateAmount, type ReportRow } from '../reports/day-sums.ts'
import { TrialBalances } from '../reports/trial-balance.tsx'
import { MONEY_KINDS } from './money-kinds.ts'
import { PlayersOfTheDay } from './players-of-day.tsx'
import { Reconciliation } from './reconciliation.tsx'
import './money.css'

export function MoneyPage() {
  const [query, setQuery] = useSearchParams()
  const today = dayOf(Date.now())
  const day = query.get('day') ?? today
  const result = useQuery({
    queryKey: ['money', day],
    queryFn: ({ signal }) => getJson<{ data: ReportRow[] }>(`/operator/reports/daily?from=${day}`, signal),
    ...(day === today && { meta: MONEY_LIVE }),
  })
  const saved = useMutation({ mutationFn: saveDay })
  const setDay = (next: string) => setQuery({ day: next }, { replace: true })
  return (
    <div className="page">
      <div className="head">
        <h1>Finance</h1>
        <span className="spring" />
        <div className="day-steps">
          <button
            type="button"
            className="button"
            onClick={() => setDay(dayOf(Date.parse(day) - DAY_MS))}
            aria-label="Previous day"
          >
            ‹
          </button>
          <label className="day" htmlFor="day">
            <span className="vh">Day (UTC)</span>
            <DayInput id="day" value={day} max={today} isNeeded set={setDay} />
          </label>
          <button
            type="button"
            className="button"
            disabled={day >= today}
            onClick={() => setDay(dayOf(Date.parse(day) + DAY_MS))}
            aria-label="Next day"
          >
            ›
          </button>
        </div>
        <a
          className="button"
          href={`/operator/reports/daily?from=${day}`}
          onClick={(event) => {
            event.preventDefault()
            saved.mutate(day)
          }}
        >
          CSV
        </a>
      </div>
      {saved.error !== null && <ActionError>Couldn’t save the file: {saved.error.message}.</ActionError>}
      <WaitingAdjustments />
      <QueryResult of={result}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <section className="card">
                <EmptyState title="No activity on this day.">
                  <p>Days are in UTC and start with the first deposit.</p>
                </EmptyState>
              </section>
            ) : (
              <DayMoney rows={data} day={day} />
            )}
            <Reconciliation key={day} day={day} />
            {data.length > 0 && <TrialBalances rows={data} />}
          </>
        )}
      </QueryResult>
    </div>
  )
}

function DayMoney({ rows, day }: { rows: readonly ReportRow[]; day: string }) {
  const hasBrands = (of: string) => rows.some(({ currency, brand }) => currency === of && brand !== undefined)
  return (
    <>
      <DailyGgr rows={rows} day={day} />
      <div className="days">
        {groupDays(rows).map((money) => (
          <Day
            key={`${money.whole.currency} ${money.whole.brand ?? ''}`}
            money={money}
            hasBrands={hasBrands(money.whole.currency)}
          />
        ))}
      </div>
      <PlayersOfTheDay day={day} />
    </>
  )
}

/** A download by the browser would lack our header. */
async function saveDay(day: string): Promise<void> {
  downloadBlob(`purser-${day}.csv`, await downloadFile(`/operator/reports/daily?from=${day}`, 'text/csv'))
}

/**
 * `hasBrands` is true if the currency has other cards. A card without a brand is then labelled,
 * because it is not the total.
 */
function Day({ money: { whole: row, byPlatform }, hasBrands }: { money: DaySums; hasBrands: boolean }) {
  const steps = MONEY_KINDS.map(({ name, of, isLess }) => [name, isLess ? negateAmount(row[of]) : row[of]] as const)
  const linked = hasBrands ? { ...row, brand: row.brand ?? '' } : row
  const { opening, closing } = row.accounts.player
  const rest = sumDecimals([opening, ...steps.map(([, amount]) => amount), negateAmount(closing)])
  const isRight = [rest, row.sum, ...byPlatform.map(({ sum }) => sum)].every(isZero)
  return (
    <section className="card day-card" aria-label={`${row.currency} ${row.brand ?? ''}`.trim()}>
      <header>
        <h2>
          {row.currency}
          {hasBrands && <span className="muted"> · {row.brand ?? NONE_OF.brand}</span>}
        </h2>
        <span className="spring" />
        <Badge tone={row.final ? 'plain' : 'open'}>{row.final ? 'Final' : 'In progress'}</Badge>
      </header>
      <table className="list waterfall">
        <caption className="vh">Player balances from opening to closing</caption>
        <tbody>
          <Line name="Opening player balances" amount={opening} of={linked} isEnd />
          {steps
            .filter(([, amount]) => !isZero(amount))
            .map(([name, amount]) => (
              <Line key={name} name={name} amount={amount} of={linked} bar={share(amount, steps)} />
            ))}
          <Line name="Closing player balances" amount={closing} of={linked} isEnd />
        </tbody>
      </table>
      {byPlatform.length > 0 && <Platforms rows={byPlatform} />}
      <Promotions row={row} />
      <p className="ties">
        <span>GGR of the day</span>{' '}
        <strong className="num">
          <Link className="plain" href={dayFigureLink('GGR', linked)}>
            {amountText(row.ggr)}
          </Link>
        </strong>
      </p>
      <p className={isRight ? 'ties good' : 'ties bad'}>
        <span>{isRight ? 'Balanced: all accounts sum to' : 'Out of balance: the accounts sum to'}</span>{' '}
        <strong className="num">
          <Link className="plain" href={dayFigureLink('Closing player balances', linked)}>
            {amountText(row.sum)}
          </Link>
        </strong>
      </p>
    </section>
  )
}

const PLATFORM_COLUMNS = {
  ...{ stakes: 'Stakes', payouts: 'Payouts', refunds: 'Refunds', resettlements: 'Payout reversals' },
  ...{
    promotionStakes: 'Promotion stakes',
    promotionRefunds: 'Promotion refunds',
    promotionPayouts: 'Promotion payouts',
  },
  ...{ promotionResettlements: 'Promotion payout reversals', ggr: 'GGR' },
} as const

/** Promotion money does not change the players' balances, but is part of the GGR. */
function Promotions({ row }: { row: ReportRow }) {
  const lines = [
    ['Promotions, stakes', negateAmount(row.promotionStakes)],
    ['Promotions, refunds', row.promotionRefunds],
    ['Promotions, payouts', row.promotionPayouts],
    ['Promotions, payout reversals', row.promotionResettlements],
  ] as const
  return lines
    .filter(([, amount]) => !isZero(amount))
    .map(([name, amount]) => (
      <p className="ties" key={name}>
        <span>{name}</span> <strong className="num">{amountText(amount)}</strong>
      </p>
    ))
}

/** The transfers of each platform's bets. Deposits and withdrawals belong to no platform (W-43). */
function Platforms({ rows }: { rows: readonly ReportRow[] }) {
  const columns = Object.keys(PLATFORM_COLUMNS) as (keyof typeof PLATFORM_COLUMNS)[]
  const active = rows.filter((row) => columns.some((name) => !isZero(row[name])))
  const shown = columns.filter((name) => name === 'ggr' || rows.some((row) => !isZero(row[name])))
  return (
    <div className="scroll">
      <table className="list platforms">
        <caption>By platform</caption>
        <thead>
          <tr>
            <th>Platform</th>
            {shown.map((name) => (
              <th key={name} className="num">
                {PLATFORM_COLUMNS[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {active.map((row) => (
            <tr key={row.platform ?? ''}>
              <th scope="row">{row.platform ?? <span className="muted">{NONE_OF.platform}</span>}</th>
              {shown.map((name) => (
                <td key={name} className="num">
                  {amountText(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Percent of the longest bar; floating point is enough for drawing. */
function share(amount: string, steps: readonly (readonly [string, string])[]): number {
  const size = (text: string) => Math.abs(Number(text))
  return (size(amount) / Math.max(...steps.map(([, one]) => size(one)))) * 100
}

interface LineProps {
  readonly name: string
  readonly amount: string
  readonly of: ReportRow
  readonly bar?: number
  readonly isEnd?: boolean
}

function Line({ name, amount, of, bar, isEnd = false }: LineProps) {
  const sign = amount.startsWith('-') || isEnd || isZero(amount) ? '' : '+'
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
        <Link className="plain" href={dayFigureLink(name, of)}>
          {sign}
          {amountText(amount)}
        </Link>
      </td>
    </tr>
  )
}
