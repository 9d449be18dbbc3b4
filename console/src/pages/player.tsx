/** A player: balances, what is in play, the statement with its running balance, the bets. */

import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { part, read } from '../api.ts'
import { BetOn } from '../bet-on.tsx'
import { useFilters } from '../filters.tsx'
import { Time } from '../format.tsx'
import { Id, ShortId } from '../ids.tsx'
import { type Column, List } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Answer, Badge, Empty } from '../parts.tsx'
import { useSettledHeights } from '../settled.ts'
import type { StatementPage, StatementRow } from '../statement.ts'
import { Adjust, WaitingAdjustments } from './adjust.tsx'
import { BetState, betsOf, currencyOf, type ListedBet, Payout, Stake } from './bets.tsx'
import { inFiles } from './in-files.tsx'
import { PersonalData } from './player/personal.tsx'
import { type Ruled, Rules } from './player/rules.tsx'
import { Sessions } from './player/sessions.tsx'
import { type Balance, balanceIn, PlayerMoney } from './player-money.tsx'
import { transferColumns } from './transfer-columns.tsx'
import './player.css'

interface Player extends Ruled {
  readonly userId: string
  readonly currency: string
  readonly brand?: string
  readonly isTest?: boolean
}

export function PlayerPage({ user }: { user: string }) {
  const base = `/operator/players/${pathPart(user)}`
  const live: LiveMeta = { live: ['player', 'balance', 'bet', 'session'], player: user }
  const asked = useQuery({
    queryKey: ['player', user],
    queryFn: async ({ signal }) => {
      const [player, { balances }] = await Promise.all([
        read<Player>(base, signal),
        read<{ balances: { currency: string; amount: string }[] }>(`${base}/balances`, signal),
      ])
      return { player, balances }
    },
    meta: live,
    gcTime: 0, // a player who was left and is opened again is not shown with the balance of then
  })
  const page = useSettledHeights(user)
  const [query] = useFilters()
  const ofCurrency = (balances: readonly Balance[]) =>
    balances.length > 1 ? `&currency=${part(balanceIn(balances, query)?.currency ?? '')}` : ''
  return (
    <div className="page wide" ref={page}>
      <div className="head">
        <h1>Player</h1>
        <Id id={user} whole />
        {asked.data && <State player={asked.data.player} />}
        {asked.data?.player.brand !== undefined && <span className="muted">Brand {asked.data.player.brand}</span>}
        <span className="spring" />
        {asked.data && <Adjust user={user} currencies={asked.data.balances.map(({ currency }) => currency)} />}
      </div>
      <Answer of={asked}>
        {({ player, balances }) => (
          <>
            <PlayerMoney user={user} balances={balances} />
            <WaitingAdjustments user={user} />
            <section className="card half tall" aria-label="Statement" id="statement">
              <header>
                <h2>Statement</h2>
                {balances.length > 1 && <span className="muted small">{balanceIn(balances, query)?.currency}</span>}
              </header>
              <List<StatementRow, StatementPage>
                path={`${base}/statement?limit=20&bets=true${ofCurrency(balances)}`}
                columns={transferColumns(() => user)}
                keyOf={({ transferId }) => transferId}
                empty={
                  <Empty title="No money has moved yet.">
                    <p>A deposit, an adjustment or a bet makes a line here.</p>
                  </Empty>
                }
                end={inFiles}
                live={live}
                goesOn
              />
            </section>
            <section className="card half tall" aria-label="Bets">
              <header>
                <h2>Bets</h2>
                <span className="spring" />
                <Link className="small" href={betsOf(user, 'refused')}>
                  Refused bets
                </Link>
                <Link className="small" href={betsOf(user)}>
                  All bets, by day
                </Link>
              </header>
              <List
                path={`/operator/bets?limit=20&selections=true&userId=${part(user)}`}
                columns={BETS(user)}
                keyOf={({ transactionId }) => transactionId}
                linkOf={({ transactionId }) => `/bets/${pathPart(user)}/${pathPart(transactionId)}`}
                empty={
                  <Empty title="No bets yet.">
                    <p>A bet appears here as soon as it is placed.</p>
                  </Empty>
                }
                live={live}
                goesOn
              />
            </section>
            <Rules user={user} of={player} live={live} />
            <Sessions base={base} live={live} />
            <PersonalData base={base} />
          </>
        )}
      </Answer>
    </div>
  )
}

function State({ player: { status, selfExcludedUntil, isTest } }: { player: Player }) {
  const isExcluded = typeof selfExcludedUntil === 'string' && Date.parse(selfExcludedUntil) > Date.now()
  return (
    <>
      {status === 'blocked' ? (
        <Badge tone="bad">Blocked</Badge>
      ) : isExcluded ? (
        <Badge tone="wait">Excluded</Badge>
      ) : (
        <Badge tone="good">Active</Badge>
      )}
      {isTest && <Badge tone="plain">Test</Badge>}
    </>
  )
}

const BETS = (user: string): readonly Column<ListedBet>[] => [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: ({ transactionId }) => (
      <ShortId id={transactionId} href={`/bets/${pathPart(user)}/${pathPart(transactionId)}`} />
    ),
  },
  { name: 'Match', show: (bet) => <BetOn of={bet} /> },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: (bet) => <Stake bet={bet} /> },
  { name: 'Payout', isNumber: true, show: (bet) => <Payout bet={bet} /> },
  { name: 'Currency', show: currencyOf },
]
