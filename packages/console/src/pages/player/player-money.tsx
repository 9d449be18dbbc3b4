/** Money of a player: available balance, open stakes, player net, and the balance chart. */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import { moneyText } from '../../shared/charts/format.tsx'
import { useFilters } from '../../shared/controls/filter-fields.tsx'
import { QueryResult } from '../../shared/controls/page-states.tsx'
import { isOfBet, type StatementRow as Row, type StatementPage } from '../../shared/data/statement.ts'
import { betsLink } from '../bets/bets-page.tsx'
import { BalanceChart, BalanceChartSkeleton } from './balance-chart.tsx'

interface OpenBet {
  readonly stake?: string
  readonly stakePaidBy?: 'player' | 'promotions'
  readonly currency?: string
  readonly placedAt?: string
}

interface Page<T> {
  readonly data: readonly T[]
  readonly next: string | null
}

/** The number of newest transfers drawn, and of open bets summed. */
const MAX_ROWS = 200
const POLL_MS = 3_000

export interface PlayerBalance {
  readonly currency: string
  readonly amount: string
}

/** The balance of the currency in the address, else the first. */
export const chosenBalance = (balances: readonly PlayerBalance[], query: URLSearchParams): PlayerBalance | undefined =>
  balances.find(({ currency }) => currency === query.get('currency')) ?? balances[0]

export function PlayerMoney({ user, balances }: { user: string; balances: readonly PlayerBalance[] }) {
  const [query, set] = useFilters()
  const balance = chosenBalance(balances, query)
  if (balance === undefined) return null
  return (
    <>
      {balances.length > 1 && (
        <fieldset className="switch" aria-label="Currency">
          {balances.map(({ currency }) => (
            <button
              key={currency}
              type="button"
              aria-pressed={currency === balance.currency}
              onClick={() => set('currency', currency)}
            >
              {currency}
            </button>
          ))}
        </fieldset>
      )}
      <CurrencyMoney key={balance.currency} user={user} balance={balance} />
    </>
  )
}

function CurrencyMoney({ user, balance: { currency, amount } }: { user: string; balance: PlayerBalance }) {
  const base = `/operator/players/${encodePathSegment(user)}`
  const result = useQuery({
    queryKey: ['player money', user, currency],
    queryFn: async ({ signal }) => {
      const [moved, open] = await Promise.all([
        getJson<StatementPage>(`${base}/statement?limit=${MAX_ROWS}&currency=${encodeQueryPart(currency)}`, signal),
        getJson<Page<OpenBet>>(`/operator/bets?status=open&limit=${MAX_ROWS}&userId=${encodeQueryPart(user)}`, signal),
      ])
      return { moved, open }
    },
    refetchInterval: POLL_MS,
  })
  return (
    <QueryResult of={result} skeleton={<PlayerMoneySkeleton available={moneyText(amount, currency)} />}>
      {({ moved, open }) => (
        <>
          <dl className="facts">
            <MoneyFact name="Available" href="#statement">
              {moneyText(amount, currency)}
            </MoneyFact>
            <MoneyFact
              name="Open stakes"
              href={betsLink(user, 'open')}
              note={open.next === null ? undefined : `of the newest ${MAX_ROWS} open bets`}
            >
              {moneyText(sumOpenStakes(open.data, currency, amount), currency)}
            </MoneyFact>
            <MoneyFact
              name="Player net"
              href={betsLink(user, 'settled')}
              note={isFromTheBeginning(moved) ? undefined : sinceText(moved.data)}
            >
              <NetOfBets moved={moved} open={open.data} balance={{ currency, amount }} />
            </MoneyFact>
          </dl>
          <BalanceChart of={moved} currency={currency} user={user} />
        </>
      )}
    </QueryResult>
  )
}

/** Same height as the content, so that the page does not move. */
function PlayerMoneySkeleton({ available }: { available: string }) {
  return (
    <>
      <dl className="facts">
        <MoneyFact name="Available">{available}</MoneyFact>
        <MoneyFact name="Open stakes">…</MoneyFact>
        <MoneyFact name="Player net">…</MoneyFact>
      </dl>
      <BalanceChartSkeleton />
    </>
  )
}

interface MoneyFactProps {
  readonly name: string
  readonly note?: ReactNode
  /** An address that starts with "#" is on this page. */
  readonly href?: string
  readonly children: ReactNode
}

export function MoneyFact({ name, note, href, children }: MoneyFactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {href === undefined ? (
          children
        ) : href.startsWith('#') ? (
          <a className="plain" href={href}>
            {children}
          </a>
        ) : (
          <Link className="plain" href={href}>
            {children}
          </Link>
        )}
      </dd>
      {note !== undefined && <dd className="muted small">{note}</dd>}
    </div>
  )
}

/** Zero with as many decimals as the balance. */
const zeroLike = (amount: string) => sumDecimals([amount, minus(amount)])

const minus = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)

/** Excludes stakes that promotions paid. */
function sumOpenStakes(open: readonly OpenBet[], currency: string, amount: string): string {
  const stakes = open.filter((bet) => bet.currency === currency && bet.stakePaidBy !== 'promotions')
  return sumDecimals([zeroLike(amount), ...stakes.flatMap(({ stake }) => stake ?? [])])
}

/** Sorts after any ISO time. */
const NEVER = '9'

/**
 * The net excludes the stakes of open bets, because these are not lost. Only stakes within the
 * summed transfers are added back.
 */
function NetOfBets({
  moved,
  open,
  balance,
}: {
  moved: StatementPage
  open: readonly OpenBet[]
  balance: PlayerBalance
}) {
  const { currency, amount } = balance
  const since = isFromTheBeginning(moved) ? '' : (moved.data.at(-1)?.at ?? NEVER)
  const counted = open.filter(({ placedAt = '' }) => placedAt >= since)
  const openStakes = sumOpenStakes(counted, currency, amount)
  const net = sumDecimals([sumBetTransfers(moved.data, amount), openStakes])
  return (
    <>
      {formatSigned(net)} {currency}
      {/[1-9]/.test(openStakes) && (
        <small className="muted"> and {moneyText(openStakes, currency)} in open stakes</small>
      )}
    </>
  )
}

function sumBetTransfers(rows: readonly Row[], amount: string): string {
  return sumDecimals([zeroLike(amount), ...rows.filter(isOfBet).map((row) => row.amount)])
}

/** False if older transfers are on the next page or in archive files (O-13). */
function isFromTheBeginning({ next, archived }: StatementPage): boolean {
  return next === null && archived === undefined
}

function sinceText(rows: readonly Row[]): string {
  const oldest = rows.at(-1)
  if (oldest === undefined) return 'without archived transfers'
  return `since ${oldest.at.slice(0, 16).replace('T', ' ')} UTC`
}
