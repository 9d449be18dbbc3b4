/** Bets, newest first; of one state, player or days as far as the address says so. */

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { sayReasonOf } from '../../../src/timeline/reasons.ts'
import { sayCode } from '../../../src/timeline/refusal.ts'
import { sayResult } from '../../../src/timeline/results.ts'
import { part } from '../api.ts'
import { BetOn, type On } from '../bet-on.tsx'
import { dayOf, endOf, startOf } from '../days.ts'
import { DayField, useFilters } from '../filters.tsx'
import { amountText, capital, Time } from '../format.tsx'
import { Id, ShortId } from '../ids.tsx'
import { type Column, List } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Badge, Empty, NONE } from '../parts.tsx'
import { PlayerField } from '../player-field.tsx'
import { useSession } from '../session.tsx'

export interface ListedBet extends Staked, On {
  readonly userId: string
  readonly transactionId: string
  readonly stakePaidBy?: string
  readonly payout?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly refusedResult?: { readonly code: number }
  readonly firstSeenAt: string
}

export interface Staked {
  readonly status: string
  readonly stake?: string | undefined
  readonly currency?: string | undefined
  /** Of a refused one: nothing was taken. */
  readonly askedStake?: { readonly amount: string; readonly currency: string } | undefined
}

interface PlatformListed extends On {
  readonly betId: string
  readonly userId: string
  readonly status: string
  readonly reason?: string
  readonly amount: string
  readonly payout?: string
  readonly currency: string
  readonly resultType?: string
  readonly placedAt: string
}

const STATUSES = {
  wallet: ['open', 'settled', 'cancelled', 'refused', 'unknown'],
  platform: ['placing', 'accepted', 'settled', 'declined', 'cancelled'],
}

const SAYS: Readonly<Record<string, string>> = {
  open: 'Accepted, and without a result yet',
  settled: 'With a result: won, lost, void or cashed out',
  cancelled: 'Cancelled by a Rollback: the stake, if it was taken, is back',
  refused: 'Not accepted, for good: no money, a limit, a block',
  unknown: 'Named by calls that were refused, and never placed: no money moved',
  placing: 'The partner has not answered yet',
  accepted: 'The partner has accepted it; no result yet',
  declined: 'The partner, or a limit, has not accepted it',
}

export function BetsPage() {
  const { bases } = useSession()
  const [query, set] = useFilters()
  const [status, player, from, to] = ['status', 'player', 'from', 'to'].map((name) => query.get(name) ?? '')
  const asked = { status, ...(bases.wallet && { userId: player }), from: from && startOf(from), to: to && endOf(to) }
  const words = Object.entries(asked).flatMap(([name, value]) => (value ? [`&${name}=${part(value)}`] : []))
  const empty = words.length === 0 ? NO_BETS : NONE_SUCH
  const side = bases.wallet ? 'wallet' : 'platform'
  const today = dayOf(Date.now())
  return (
    <div className="page">
      <div className="head">
        <h1>Bets</h1>
        <span className="spring" />
        <fieldset className="switch" aria-label="Status">
          {['', ...STATUSES[side]].map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={status === one}
              title={SAYS[one]}
              onClick={() => set('status', one)}
            >
              {capital(one || 'all')}
            </button>
          ))}
        </fieldset>
      </div>
      <form className="filter-fields" onSubmit={(event) => event.preventDefault()} aria-label="Which bets">
        {bases.wallet && <PlayerField value={player ?? ''} set={(value) => set('player', value)} />}
        <DayField name="From" value={from ?? ''} max={to || today} set={(value) => set('from', value)} />
        <DayField name="To" value={to ?? ''} max={today} set={(value) => set('to', value)} />
      </form>
      <section className="card" aria-label="Bets">
        {bases.wallet ? (
          <WalletBets path={`/operator/bets?limit=50&selections=true${words.join('')}`} empty={empty} />
        ) : (
          <PlatformBets path={`${bases.platform}/bets?limit=50&selections=true${words.join('')}`} empty={empty} />
        )}
      </section>
    </div>
  )
}

/** Where the list of a player's refused bets is, or of all. */
export const betsOf = (player: string, status = '') =>
  `/bets?player=${part(player)}${status === '' ? '' : `&status=${status}`}`

const LIVE: LiveMeta = { live: ['bet'] }

const NONE_SUCH = (
  <Empty title="No such bets.">
    <p>Nothing is in this state, of this player and in these days. A player’s id is taken whole; days are in UTC.</p>
  </Empty>
)

const NO_BETS = (
  <Empty title="No bets.">
    <p>A bet appears here as soon as it is placed.</p>
  </Empty>
)

interface Rows {
  readonly path: string
  readonly empty: ReactNode
}

function WalletBets({ path, empty }: Rows) {
  return (
    <List
      path={path}
      columns={WALLET}
      empty={empty}
      keyOf={(bet: ListedBet) => `${bet.userId}/${bet.transactionId}`}
      linkOf={linkOf}
      live={LIVE}
    />
  )
}

function PlatformBets({ path, empty }: Rows) {
  return (
    <List
      path={path}
      columns={PLATFORM}
      empty={empty}
      keyOf={(bet: PlatformListed) => bet.betId}
      linkOf={({ betId }) => `/bets/${pathPart(betId)}`}
      live={LIVE}
    />
  )
}

const linkOf = ({ userId, transactionId }: ListedBet) => `/bets/${pathPart(userId)}/${pathPart(transactionId)}`

const TONES: Readonly<Record<string, string>> = {
  open: 'open',
  accepted: 'open',
  placing: 'wait',
  won: 'good',
  cashout: 'good',
  refused: 'refused',
  declined: 'refused',
}

export function BetState({
  status,
  resultType,
  refusalCode,
  reason,
  refusedResult,
}: {
  status: string
  resultType?: string | undefined
  /** Why it was refused: as the wallet has it, or the platform. */
  refusalCode?: number | undefined
  reason?: string | undefined
  /** The wallet refused what the platform decided since. */
  refusedResult?: { readonly code: number } | undefined
}) {
  const word = status === 'settled' ? (resultType ?? status) : status
  return (
    <Badge tone={refusedResult === undefined ? (TONES[word] ?? 'plain') : 'bad'}>
      {capital(sayResult(word))}
      {refusedResult === undefined ? '' : ` · change refused: ${sayCode(refusedResult.code)}`}
      {refusalCode === undefined ? '' : ` · ${sayCode(refusalCode)}`}
      {status === 'declined' && reason !== undefined ? ` · ${sayReasonOf(reason)}` : ''}
    </Badge>
  )
}

/** Of a bet that has none, what was asked for, or why there is none. */
export function Stake({ bet: { status, stake, askedStake } }: { bet: Staked }) {
  if (stake !== undefined) return amountText(stake)
  const says =
    askedStake !== undefined
      ? `asked ${amountText(askedStake.amount)}`
      : status === 'refused'
        ? 'not recorded'
        : 'never placed'
  return <span className="muted">{says}</span>
}

/** Of a bet that was cancelled, what its Rollback gave back. */
export function Payout({ bet: { status, stake, stakePaidBy, payout } }: { bet: ListedBet }) {
  if (payout !== undefined) return amountText(payout)
  if (status !== 'cancelled' || stake === undefined) return NONE
  return (
    <span className="muted">
      refund {amountText(stake)}
      {stakePaidBy === 'promotions' && ' to promotions'}
    </span>
  )
}

export const currencyOf = ({ currency, askedStake }: Staked) => currency ?? askedStake?.currency ?? ''

const WALLET: readonly Column<ListedBet>[] = [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: (bet) => <ShortId id={bet.transactionId} href={linkOf(bet)} />,
  },
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="cut" href={`/players/${pathPart(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Match', show: (bet) => <BetOn of={bet} /> },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: (bet) => <Stake bet={bet} /> },
  { name: 'Payout', isNumber: true, show: (bet) => <Payout bet={bet} /> },
  { name: 'Currency', show: currencyOf },
]

const PLATFORM: readonly Column<PlatformListed>[] = [
  { name: 'Time', show: ({ placedAt }) => <Time at={placedAt} /> },
  {
    name: 'Bet',
    show: ({ betId }) => <ShortId id={betId} href={`/bets/${pathPart(betId)}`} />,
  },
  { name: 'Player', show: ({ userId }) => <Id id={userId} whole /> },
  { name: 'Match', show: (bet) => <BetOn of={bet} /> },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: ({ amount }) => amountText(amount) },
  { name: 'Payout', isNumber: true, show: ({ payout }) => (payout === undefined ? NONE : amountText(payout)) },
  { name: 'Currency', show: ({ currency }) => currency },
]
