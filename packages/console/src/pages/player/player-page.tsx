/**
 * Page of a player: balances, open stakes, the account statement with its running balance, and
 * bets.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { Time } from '../../shared/charts/format.tsx'
import { renderArchivedNotes } from '../../shared/controls/archived-note.tsx'
import { useFilters } from '../../shared/controls/filter-fields.tsx'
import { Id, ShortId } from '../../shared/controls/ids.tsx'
import { Badge, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import { useSettledHeights } from '../../shared/controls/settled-heights.ts'
import type { StatementPage, StatementRow } from '../../shared/data/statement.ts'
import { BetState, betsLink, currencyOf, type ListedBet, Payout, Stake } from '../bets/bets-page.tsx'
import { transferColumns } from '../money/transfer-columns.tsx'
import { AdjustButton, WaitingAdjustments } from './adjustment-form.tsx'
import { PersonalData } from './personal-data.tsx'
import { chosenBalance, type PlayerBalance, PlayerMoney } from './player-money.tsx'
import { type PlayerRules, PlayerRulesCard } from './player-rules.tsx'
import { PlayerSessions } from './player-sessions.tsx'
import './player.css'

interface Player extends PlayerRules {
  readonly userId: string
  readonly currency: string
  readonly brand?: string
  readonly isTest?: boolean
}

export function PlayerPage({ user }: { user: string }) {
  const base = `/operator/players/${encodePathSegment(user)}`
  const live: LiveMeta = { live: ['player', 'balance', 'bet', 'session'], player: user }
  const result = useQuery({
    queryKey: ['player', user],
    queryFn: async ({ signal }) => {
      const [player, { balances }] = await Promise.all([
        getJson<Player>(base, signal),
        getJson<{ balances: { currency: string; amount: string }[] }>(`${base}/balances`, signal),
      ])
      return { player, balances }
    },
    meta: live,
    gcTime: 0, // A reopened page must not show an old balance.
  })
  const page = useSettledHeights(user)
  const [query] = useFilters()
  const ofCurrency = (balances: readonly PlayerBalance[]) =>
    balances.length > 1 ? `&currency=${encodeQueryPart(chosenBalance(balances, query)?.currency ?? '')}` : ''
  return (
    <div className="page wide" ref={page}>
      <div className="head">
        <h1>Player</h1>
        <Id id={user} whole />
        {result.data && <State player={result.data.player} />}
        {result.data?.player.brand !== undefined && <span className="muted">Brand {result.data.player.brand}</span>}
        <span className="spring" />
        {result.data && <AdjustButton user={user} currencies={result.data.balances.map(({ currency }) => currency)} />}
      </div>
      <QueryResult of={result}>
        {({ player, balances }) => (
          <>
            <PlayerMoney user={user} balances={balances} />
            <WaitingAdjustments user={user} />
            <section className="card half tall" aria-label="Statement" id="statement">
              <header>
                <h2>Statement</h2>
                {balances.length > 1 && <span className="muted small">{chosenBalance(balances, query)?.currency}</span>}
              </header>
              <PagedList<StatementRow, StatementPage>
                path={`${base}/statement?limit=20&bets=true${ofCurrency(balances)}`}
                columns={transferColumns(() => user)}
                keyOf={({ transferId }) => transferId}
                empty={
                  <EmptyState title="No transfers yet.">
                    <p>Deposits, adjustments and bets appear here.</p>
                  </EmptyState>
                }
                end={renderArchivedNotes}
                live={live}
                goesOn
              />
            </section>
            <section className="card half tall" aria-label="Bets">
              <header>
                <h2>Bets</h2>
                <span className="spring" />
                <Link className="small" href={betsLink(user, 'refused')}>
                  Declined bets
                </Link>
                <Link className="small" href={betsLink(user)}>
                  All bets, by day
                </Link>
              </header>
              <PagedList
                path={`/operator/bets?limit=20&selections=true&userId=${encodeQueryPart(user)}`}
                columns={BETS(user)}
                keyOf={({ transactionId }) => transactionId}
                linkOf={({ transactionId }) => `/bets/${encodePathSegment(user)}/${encodePathSegment(transactionId)}`}
                empty={
                  <EmptyState title="No bets yet.">
                    <p>A bet appears here as soon as it is placed.</p>
                  </EmptyState>
                }
                live={live}
                goesOn
              />
            </section>
            <PlayerRulesCard user={user} of={player} live={live} />
            <PlayerSessions base={base} live={live} />
            <PersonalData base={base} />
          </>
        )}
      </QueryResult>
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

const BETS = (user: string): readonly ListColumn<ListedBet>[] => [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: ({ transactionId }) => (
      <ShortId id={transactionId} href={`/bets/${encodePathSegment(user)}/${encodePathSegment(transactionId)}`} />
    ),
  },
  { name: 'Match', show: (bet) => <SelectionSummary of={bet} /> },
  { name: 'Status', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: (bet) => <Stake bet={bet} /> },
  { name: 'Payout', isNumber: true, show: (bet) => <Payout bet={bet} /> },
  { name: 'Currency', show: currencyOf },
]
