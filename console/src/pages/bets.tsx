/** Bets, newest first. */
import { Link, useSearchParams } from 'wouter'
import { part } from '../api.ts'
import { Id, ShortId, Time } from '../format.tsx'
import { type Column, List } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Badge, Empty } from '../parts.tsx'
import { useSession } from '../session.tsx'

interface ListedBet {
  readonly userId: string
  readonly transactionId: string
  readonly status: string
  readonly stake?: string
  readonly payout?: string
  readonly currency?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly refusedResult?: { readonly code: number }
  readonly firstSeenAt: string
}

interface PlatformListed {
  readonly betId: string
  readonly userId: string
  readonly status: string
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

export function BetsPage() {
  const { bases } = useSession()
  const [query, setQuery] = useSearchParams()
  const status = query.get('status') ?? ''
  const filter = status === '' ? '' : `&status=${part(status)}`
  const side = bases.wallet ? 'wallet' : 'platform'
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
              onClick={() => setQuery(one === '' ? {} : { status: one }, { replace: true })}
            >
              {one === '' ? 'All' : one.charAt(0).toUpperCase() + one.slice(1)}
            </button>
          ))}
        </fieldset>
      </div>
      <section className="card" aria-label="Bets">
        {bases.wallet ? (
          <WalletBets path={`/operator/bets?limit=50${filter}`} />
        ) : (
          <PlatformBets path={`${bases.platform}/bets?limit=50${filter}`} />
        )}
      </section>
    </div>
  )
}

const LIVE: LiveMeta = { live: ['bet'] }

const NONE = (
  <Empty title="No bets.">
    <p>A bet appears here when its first call arrives.</p>
  </Empty>
)

function WalletBets({ path }: { path: string }) {
  return (
    <List
      path={path}
      columns={WALLET}
      empty={NONE}
      keyOf={(bet: ListedBet) => `${bet.userId}/${bet.transactionId}`}
      linkOf={linkOf}
      live={LIVE}
    />
  )
}

function PlatformBets({ path }: { path: string }) {
  return (
    <List
      path={path}
      columns={PLATFORM}
      empty={NONE}
      keyOf={(bet: PlatformListed) => bet.betId}
      linkOf={({ betId }) => `/bets/${part(betId)}`}
      live={LIVE}
    />
  )
}

const linkOf = ({ userId, transactionId }: ListedBet) => `/bets/${part(userId)}/${part(transactionId)}`

const TONES: Readonly<Record<string, string>> = {
  open: 'open',
  accepted: 'open',
  placing: 'wait',
  won: 'good',
  cashout: 'good',
  refused: 'bad',
  declined: 'bad',
}

export function BetState({
  status,
  resultType,
  refusalCode,
  refusedResult,
}: {
  status: string
  resultType?: string | undefined
  refusalCode?: number | undefined
  /** The wallet refused what the platform decided since. */
  refusedResult?: { readonly code: number } | undefined
}) {
  const word = status === 'settled' ? (resultType ?? status) : status
  const text = word === 'cashout' ? 'Cashed out' : word.charAt(0).toUpperCase() + word.slice(1)
  return (
    <Badge tone={refusedResult === undefined ? (TONES[word] ?? 'plain') : 'bad'}>
      {text}
      {refusedResult === undefined ? '' : ` · change refused, code ${refusedResult.code}`}
      {refusalCode === undefined ? '' : ` · code ${refusalCode}`}
    </Badge>
  )
}

const WALLET: readonly Column<ListedBet>[] = [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: (bet) => (
      <Link href={linkOf(bet)}>
        <ShortId id={bet.transactionId} />
      </Link>
    ),
  },
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="cut" href={`/players/${part(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: ({ stake }) => stake ?? '–' },
  { name: 'Payout', isNumber: true, show: ({ payout }) => payout ?? '–' },
  { name: 'Currency', show: ({ currency }) => currency ?? '' },
]

const PLATFORM: readonly Column<PlatformListed>[] = [
  { name: 'Time', show: ({ placedAt }) => <Time at={placedAt} /> },
  {
    name: 'Bet',
    show: ({ betId }) => (
      <Link href={`/bets/${part(betId)}`}>
        <ShortId id={betId} />
      </Link>
    ),
  },
  { name: 'Player', show: ({ userId }) => <Id id={userId} whole /> },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: ({ amount }) => amount },
  { name: 'Payout', isNumber: true, show: ({ payout }) => payout ?? '–' },
  { name: 'Currency', show: ({ currency }) => currency },
]
