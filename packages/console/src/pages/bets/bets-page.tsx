/** List of bets, newest first. The page address contains the filters by state, player and day. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { formatResultType } from '@purser/timeline/result-names'
import { describePlatformReason } from '@purser/timeline/rollback-reasons'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { useSession } from '../../app/console-session.tsx'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { dayOf, endOfDay, startOfDay } from '../../shared/charts/days.ts'
import { amountText, capital, Time } from '../../shared/charts/format.tsx'
import { DayField, useFilters } from '../../shared/controls/filter-fields.tsx'
import { Id, ShortId } from '../../shared/controls/ids.tsx'
import { Badge, DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import { PlayerField } from '../../shared/controls/player-field.tsx'
import { type BetSelections, SelectionSummary } from '../../shared/controls/selection-summary.tsx'

export interface ListedBet extends BetStake, BetSelections {
  readonly userId: string
  readonly transactionId: string
  readonly stakePaidBy?: string
  readonly payout?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly refusedResult?: { readonly code: number }
  readonly firstSeenAt: string
}

export interface BetStake {
  readonly status: string
  readonly stake?: string | undefined
  readonly currency?: string | undefined
  /** The stake that a declined Place bet requested; it was not debited. */
  readonly requestedStake?: { readonly amount: string; readonly currency: string } | undefined
}

interface PlatformListedBet extends BetSelections {
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

/** Names on pages. The API and the filters use the short names. */
const BET_STATUS_TITLES: Readonly<Record<string, string>> = { refused: 'declined', unknown: 'unmatched' }

const STATUS_HINTS: Readonly<Record<string, string>> = {
  open: 'Accepted, without a result yet',
  settled: 'With a result: won, lost, void or cashed out',
  cancelled: 'Cancelled by a Rollback; a debited stake is refunded',
  refused: 'Declined permanently: no money, a limit or a block',
  unknown: 'Named only by rejected calls and never placed; no money moved',
  placing: 'Waiting for the response of the partner',
  accepted: 'Accepted by the partner, without a result yet',
  declined: 'Declined by the partner or by a limit',
}

export function BetsPage() {
  const { bases } = useSession()
  const [query, set] = useFilters()
  const [status, player, from, to] = ['status', 'player', 'from', 'to'].map((name) => query.get(name) ?? '')
  const filters = {
    status,
    ...(bases.wallet && { userId: player }),
    from: from && startOfDay(from),
    to: to && endOfDay(to),
  }
  const words = Object.entries(filters).flatMap(([name, value]) =>
    value ? [`&${name}=${encodeQueryPart(value)}`] : [],
  )
  const empty = words.length === 0 ? NO_BETS : NO_MATCHING_BETS
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
              title={STATUS_HINTS[one]}
              onClick={() => set('status', one)}
            >
              {capital(BET_STATUS_TITLES[one] ?? (one || 'all'))}
            </button>
          ))}
        </fieldset>
      </div>
      <form className="filter-fields" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
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

export const betsLink = (player: string, status = '') =>
  `/bets?player=${encodeQueryPart(player)}${status === '' ? '' : `&status=${status}`}`

const LIVE: LiveMeta = { live: ['bet'] }

const NO_MATCHING_BETS = (
  <EmptyState title="No matching bets.">
    <p>No bet matches these filters. The player filter needs the whole ID; days are in UTC.</p>
  </EmptyState>
)

const NO_BETS = (
  <EmptyState title="No bets yet.">
    <p>A bet appears here as soon as it is placed.</p>
  </EmptyState>
)

interface Rows {
  readonly path: string
  readonly empty: ReactNode
}

function WalletBets({ path, empty }: Rows) {
  return (
    <PagedList
      path={path}
      columns={WALLET}
      empty={empty}
      keyOf={(bet: ListedBet) => `${bet.userId}/${bet.transactionId}`}
      linkOf={listedBetLink}
      live={LIVE}
    />
  )
}

function PlatformBets({ path, empty }: Rows) {
  return (
    <PagedList
      path={path}
      columns={PLATFORM}
      empty={empty}
      keyOf={(bet: PlatformListedBet) => bet.betId}
      linkOf={({ betId }) => `/bets/${encodePathSegment(betId)}`}
      live={LIVE}
    />
  )
}

const listedBetLink = ({ userId, transactionId }: ListedBet) =>
  `/bets/${encodePathSegment(userId)}/${encodePathSegment(transactionId)}`

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
  /** The wallet's reason for a declined bet is a code, the platform's a text. */
  refusalCode?: number | undefined
  reason?: string | undefined
  /** The wallet rejected a later result. */
  refusedResult?: { readonly code: number } | undefined
}) {
  const word = status === 'settled' ? (resultType ?? status) : status
  return (
    <Badge tone={refusedResult === undefined ? (TONES[word] ?? 'plain') : 'bad'}>
      {capital(BET_STATUS_TITLES[word] ?? formatResultType(word))}
      {refusedResult === undefined ? '' : ` · change rejected: ${describeReplyCode(refusedResult.code)}`}
      {refusalCode === undefined ? '' : ` · ${describeReplyCode(refusalCode)}`}
      {status === 'declined' && reason !== undefined ? ` · ${describePlatformReason(reason)}` : ''}
    </Badge>
  )
}

/** A bet without a stake shows the requested stake, or the reason. */
export function Stake({ bet: { status, stake, requestedStake } }: { bet: BetStake }) {
  if (stake !== undefined) return amountText(stake)
  const note =
    requestedStake !== undefined
      ? `requested ${amountText(requestedStake.amount)}`
      : status === 'refused'
        ? 'not recorded'
        : 'never placed'
  return <span className="muted">{note}</span>
}

/** A cancelled bet shows the refund of its Rollback. */
export function Payout({ bet: { status, stake, stakePaidBy, payout } }: { bet: ListedBet }) {
  if (payout !== undefined) return amountText(payout)
  if (status !== 'cancelled' || stake === undefined) return DASH
  return (
    <span className="muted">
      refund {amountText(stake)}
      {stakePaidBy === 'promotions' && ' to promotions'}
    </span>
  )
}

export const currencyOf = ({ currency, requestedStake }: BetStake) => currency ?? requestedStake?.currency ?? ''

const WALLET: readonly ListColumn<ListedBet>[] = [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: (bet) => <ShortId id={bet.transactionId} href={listedBetLink(bet)} />,
  },
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="cut" href={`/players/${encodePathSegment(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Match', show: (bet) => <SelectionSummary of={bet} /> },
  { name: 'Status', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: (bet) => <Stake bet={bet} /> },
  { name: 'Payout', isNumber: true, show: (bet) => <Payout bet={bet} /> },
  { name: 'Currency', show: currencyOf },
]

const PLATFORM: readonly ListColumn<PlatformListedBet>[] = [
  { name: 'Time', show: ({ placedAt }) => <Time at={placedAt} /> },
  {
    name: 'Bet',
    show: ({ betId }) => <ShortId id={betId} href={`/bets/${encodePathSegment(betId)}`} />,
  },
  { name: 'Player', show: ({ userId }) => <Id id={userId} whole /> },
  { name: 'Match', show: (bet) => <SelectionSummary of={bet} /> },
  { name: 'Status', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: ({ amount }) => amountText(amount) },
  { name: 'Payout', isNumber: true, show: ({ payout }) => (payout === undefined ? DASH : amountText(payout)) },
  { name: 'Currency', show: ({ currency }) => currency },
]
