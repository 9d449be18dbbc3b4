/** A player: balances, what is in play, the statement with its running balance, the bets. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ACTIONS, type Action, keyOfAction } from '../actions.tsx'
import { part, read } from '../api.ts'
import { BetOn } from '../bet-on.tsx'
import { Time } from '../format.tsx'
import { Id, ShortId } from '../ids.tsx'
import { type Column, List } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Answer, Badge, Empty } from '../parts.tsx'
import { useSettledHeights } from '../settled.ts'
import type { StatementPage, StatementRow } from '../statement.ts'
import { Adjust } from './adjust.tsx'
import { BetState, betsOf, currencyOf, type ListedBet, Payout, Stake } from './bets.tsx'
import { inFiles } from './in-files.tsx'
import { PersonalData } from './player/personal.tsx'
import { Sessions } from './player/sessions.tsx'
import { Fact, PlayerMoney } from './player-money.tsx'
import { transferColumns } from './transfer-columns.tsx'
import './player.css'

interface Player {
  readonly userId: string
  readonly currency: string
  readonly status?: string
  readonly brand?: string
  readonly verified?: boolean
  readonly isTest?: boolean
  readonly selfExcludedUntil?: string | null
  readonly limits?: { readonly stake?: string; readonly loss?: string; readonly betCount?: number }
}

export function PlayerPage({ user }: { user: string }) {
  const base = `/operator/players/${part(user)}`
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
            <section className="card half tall" aria-label="Statement" id="statement">
              <header>
                <h2>Statement</h2>
              </header>
              <List<StatementRow, StatementPage>
                path={`${base}/statement?limit=20&bets=true`}
                columns={transferColumns(() => user)}
                keyOf={({ transferId }) => transferId}
                empty={
                  <Empty title="No money has moved yet.">
                    <p>A deposit, an adjustment or a bet makes a line here.</p>
                  </Empty>
                }
                end={inFiles}
                live={live}
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
                linkOf={({ transactionId }) => `/bets/${part(user)}/${part(transactionId)}`}
                empty={
                  <Empty title="No bets yet.">
                    <p>A bet appears here when its first call arrives.</p>
                  </Empty>
                }
                live={live}
              />
            </section>
            <section className="card" aria-label="Rules">
              <header>
                <h2>Rules and who set them</h2>
              </header>
              <Rules of={player} />
              <List
                path={`${base}/history?limit=10`}
                columns={HISTORY}
                keyOf={keyOfAction}
                empty={
                  <Empty title="Nobody has changed a rule.">
                    <p>Blocks, limits, exclusions and locks of bets are here, with who set them and when.</p>
                  </Empty>
                }
                live={live}
              />
            </section>
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

/** Of the player itself, or of a bet: the player is known. */
const HISTORY: readonly Column<Action>[] = ACTIONS.map((column) =>
  column.name === 'On'
    ? { ...column, show: ({ on: { userId: _, ...rest } }) => Object.values(rest).join(' · ') }
    : column,
)

function Rules({ of: { limits = {}, verified, selfExcludedUntil } }: { of: Player }) {
  const { stake, loss, betCount } = limits
  const perDay = [
    stake !== undefined && `stakes of ${stake}`,
    loss !== undefined && `losses of ${loss}`,
    betCount !== undefined && `${betCount} bets`,
  ].filter((one) => one !== false)
  return (
    <dl className="facts body">
      <Fact name="A day at most">{perDay.length === 0 ? 'no limit' : perDay.join(', ')}</Fact>
      <Fact name="Verified">{verified === undefined ? 'not said' : verified ? 'yes' : 'no'}</Fact>
      <Fact name="Excluded until">
        {typeof selfExcludedUntil === 'string' ? <Time at={selfExcludedUntil} /> : 'not'}
      </Fact>
    </dl>
  )
}

const BETS = (user: string): readonly Column<ListedBet>[] => [
  { name: 'Time', show: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  {
    name: 'Bet',
    show: ({ transactionId }) => <ShortId id={transactionId} href={`/bets/${part(user)}/${part(transactionId)}`} />,
  },
  { name: 'Match', show: (bet) => <BetOn of={bet} /> },
  { name: 'State', show: (bet) => <BetState {...bet} /> },
  { name: 'Stake', isNumber: true, show: (bet) => <Stake bet={bet} /> },
  { name: 'Payout', isNumber: true, show: (bet) => <Payout bet={bet} /> },
  { name: 'Currency', show: currencyOf },
]
