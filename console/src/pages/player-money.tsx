/** A player's money: what can be staked, what is in play, what the bets have brought, and the balance. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { sumOf } from '../../../src/protocol/decimal.ts'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { part, read } from '../api.ts'
import { useFilters } from '../filters.tsx'
import { moneyText } from '../format.tsx'
import { Answer } from '../parts.tsx'
import { isOfBet, type StatementRow as Row, type StatementPage } from '../statement.ts'
import { betsOf } from './bets.tsx'
import { BalanceChart, ChartToCome } from './player-chart.tsx'

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

/** The newest transfers that are drawn, and the open bets that are added up. */
const MOST = 200
const LOOK_MS = 3_000

export interface Balance {
  readonly currency: string
  readonly amount: string
}

/** The one that is chosen in the address, of all that is shown of the player's money. */
export const balanceIn = (balances: readonly Balance[], query: URLSearchParams): Balance | undefined =>
  balances.find(({ currency }) => currency === query.get('currency')) ?? balances[0]

export function PlayerMoney({ user, balances }: { user: string; balances: readonly Balance[] }) {
  const [query, set] = useFilters()
  const balance = balanceIn(balances, query)
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
      <OneCurrency key={balance.currency} user={user} balance={balance} />
    </>
  )
}

function OneCurrency({ user, balance: { currency, amount } }: { user: string; balance: Balance }) {
  const base = `/operator/players/${pathPart(user)}`
  const asked = useQuery({
    queryKey: ['player money', user, currency],
    queryFn: async ({ signal }) => {
      const [moved, open] = await Promise.all([
        read<StatementPage>(`${base}/statement?limit=${MOST}&currency=${part(currency)}`, signal),
        read<Page<OpenBet>>(`/operator/bets?status=open&limit=${MOST}&userId=${part(user)}`, signal),
      ])
      return { moved, open }
    },
    refetchInterval: LOOK_MS,
  })
  return (
    <Answer of={asked} toCome={<MoneyToCome available={moneyText(amount, currency)} />}>
      {({ moved, open }) => (
        <>
          <dl className="facts">
            <Fact name="Available" href="#statement">
              {moneyText(amount, currency)}
            </Fact>
            <Fact
              name="In play"
              href={betsOf(user, 'open')}
              note={open.next === null ? undefined : `of the newest ${MOST} open bets`}
            >
              {moneyText(inPlay(open.data, currency, amount), currency)}
            </Fact>
            <Fact
              name="Net of bets"
              href={betsOf(user, 'settled')}
              note={isFromTheBeginning(moved) ? undefined : sinceText(moved.data)}
            >
              <NetOfBets moved={moved} open={open.data} balance={{ currency, amount }} />
            </Fact>
          </dl>
          <BalanceChart of={moved} currency={currency} user={user} />
        </>
      )}
    </Answer>
  )
}

/** As high as what comes, so that nothing below it moves. */
function MoneyToCome({ available }: { available: string }) {
  return (
    <>
      <dl className="facts">
        <Fact name="Available">{available}</Fact>
        <Fact name="In play">…</Fact>
        <Fact name="Net of bets">…</Fact>
      </dl>
      <ChartToCome />
    </>
  )
}

interface FactProps {
  readonly name: string
  readonly note?: ReactNode
  /** Of the list behind it; "#…" is on this page. */
  readonly href?: string
  readonly children: ReactNode
}

export function Fact({ name, note, href, children }: FactProps) {
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

/** As many digits as the balance has, also where nothing is added up. */
const zeroLike = (amount: string) => sumOf([amount, minus(amount)])

const minus = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)

/** What promotions staked is not the player's. */
function inPlay(open: readonly OpenBet[], currency: string, amount: string): string {
  const stakes = open.filter((bet) => bet.currency === currency && bet.stakePaidBy !== 'promotions')
  return sumOf([zeroLike(amount), ...stakes.flatMap(({ stake }) => stake ?? [])])
}

/** Later than any time. */
const NEVER = '9'

/** What is still in play is not lost: stakes of open bets do not count, as far as the movements that are added up have them. */
function NetOfBets({ moved, open, balance }: { moved: StatementPage; open: readonly OpenBet[]; balance: Balance }) {
  const { currency, amount } = balance
  const since = isFromTheBeginning(moved) ? '' : (moved.data.at(-1)?.at ?? NEVER)
  const counted = open.filter(({ placedAt = '' }) => placedAt >= since)
  const held = inPlay(counted, currency, amount)
  const net = sumOf([netOf(moved.data, amount), held])
  return (
    <>
      {signed(net)} {currency}
      {/[1-9]/.test(held) && <small className="muted"> and {moneyText(held, currency)} in play</small>}
    </>
  )
}

function netOf(rows: readonly Row[], amount: string): string {
  return sumOf([zeroLike(amount), ...rows.filter(isOfBet).map((row) => row.amount)])
}

/** False where older ones are on the next page, or lie in files (O-13). */
function isFromTheBeginning({ next, archived }: StatementPage): boolean {
  return next === null && archived === undefined
}

function sinceText(rows: readonly Row[]): string {
  const oldest = rows.at(-1)
  if (oldest === undefined) return 'since what was archived'
  return `since ${oldest.at.slice(0, 16).replace('T', ' ')} UTC`
}
