/** A bet: where it stands, the sentence for support, the picture, and each moment of it taken apart. */

import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { signed } from '../../../../src/timeline/amounts.ts'
import { refusedPlaceOf } from '../../../../src/timeline/branch.ts'
import { drawTimeline } from '../../../../src/timeline/draw.ts'
import { historyOf, netSoFar } from '../../../../src/timeline/history.ts'
import type { Scale } from '../../../../src/timeline/layout.ts'
import type { History } from '../../../../src/timeline/moments.ts'
import { countsOf, paidOf, takenOf } from '../../../../src/timeline/paid.ts'
import { replayOf } from '../../../../src/timeline/replay.ts'
import { standingOf } from '../../../../src/timeline/sentence.ts'
import { storyFile } from '../../../../src/timeline/share.ts'
import css from '../../../../src/timeline/timeline.css?raw'
import '../../../../src/timeline/timeline.css'
import { useBalanceAt } from '../../balance-at.ts'
import { type BetSources, type CallsAre, useBet } from '../../bet-data.ts'
import { useFilters } from '../../filters.tsx'
import { moneyText, Time } from '../../format.tsx'
import { CopyButton, Id } from '../../ids.tsx'
import { Answer, Badge, NONE } from '../../parts.tsx'
import { Picture } from '../../picture.tsx'
import { saveText } from '../../save.ts'
import { useSession } from '../../session.tsx'
import { Adjust } from '../adjust.tsx'
import { AdjustedByHand } from '../adjusted.tsx'
import { comparisonOf } from '../day-links.ts'
import { Anomalies } from './anomalies.tsx'
import { MomentPanel } from './moment.tsx'
import { Replay } from './replay.tsx'
import { Selections, text, toldOf } from './selections.tsx'
import './bet.css'

export function BetPage({ bet, user }: { bet: string; user?: string | undefined }) {
  const asked = useBet(bet, user)
  return (
    <div className="page bet-page">
      <Answer of={asked} around={(inner) => <Headed bet={bet}>{inner}</Headed>}>
        {(sources) => <Bet bet={bet} sources={sources} callsAre={asked.callsAre} />}
      </Answer>
    </div>
  )
}

function Headed({ bet, beside, children }: { bet: string; beside?: ReactNode; children: ReactNode }) {
  return (
    <>
      <div className="head">
        <h1>Bet</h1>
        <Id id={bet} whole />
        <CopyButton text={bet} />
        {beside}
      </div>
      {children}
    </>
  )
}

interface BetProps {
  readonly bet: string
  readonly sources: BetSources
  readonly callsAre: CallsAre
}

function Bet({ bet, sources, callsAre }: BetProps) {
  const [query, set] = useFilters()
  const scale: Scale = query.get('scale') === 'time' ? 'time' : 'compact'
  const chosen = query.get('moment') ?? undefined
  const choose = (id: string | undefined) => set('moment', id === chosen ? '' : (id ?? ''), true)
  const history = useMemo(() => historyOf(sources), [sources])
  const { wallet, platform } = sources
  const available = useBalanceAt(wallet, wallet === undefined ? -1 : refusedPlaceOf(wallet))
  const standing = standingOf(wallet, platform, available)
  const picture = useMemo(() => drawTimeline(history, { scale, selected: chosen }), [history, scale, chosen])
  const share = () => {
    const replay = wallet && replayOf(wallet).saved
    const file = storyFile({ history, standing, css, madeAt: new Date(), replay })
    saveText(`bet-${bet.slice(0, 8)}.html`, file, 'text/html')
  }
  const moment = history.moments.find(({ id }) => id === chosen)
  const beside = (
    <>
      <Badge tone={standing.tone}>{standing.state}</Badge>
      <span className="spring" />
      <span className="choices">
        <button type="button" className="button" onClick={share}>
          Share as a file
        </button>
        {wallet !== undefined && wallet.history.length > 0 && <Replay wallet={wallet} />}
        {wallet?.currency !== undefined && (
          <Adjust user={wallet.userId} currencies={[wallet.currency]} bet={wallet.transactionId} />
        )}
      </span>
    </>
  )
  return (
    <Headed bet={bet} beside={beside}>
      {sources.owners.length > 1 && <Owners bet={bet} owners={sources.owners} shown={history.player} />}
      <p className="sentence">{unbroken(standing.sentence)}</p>
      <Facts sources={sources} history={history} />
      <section className="card happened" aria-label="What happened">
        <header>
          <h2>What happened</h2>
          <span className="spring" />
          <fieldset className="switch" aria-label="Scale">
            {(['compact', 'time'] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={scale === one}
                onClick={() => set('scale', one === 'time' ? one : '')}
              >
                {one === 'compact' ? 'Steps' : 'True time'}
              </button>
            ))}
          </fieldset>
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys */}
        <section className="body picture tl-scroll" aria-label="The picture" tabIndex={0}>
          <Picture of={picture} onChoose={choose} />
        </section>
        {moment === undefined ? (
          <p className="hint muted small">Choose a moment to see its request, its answer, and why.</p>
        ) : (
          <MomentPanel moment={moment} wallet={wallet} callsAre={callsAre} close={() => choose(undefined)} />
        )}
      </section>
      {wallet !== undefined && <Anomalies of={wallet} />}
      {wallet !== undefined && <AdjustedByHand of={wallet} />}
      <Selections sources={sources} />
      <Compared wallet={wallet} />
    </Headed>
  )
}

/** Where both books of its day are compared: what the platform has of it, and of all others. */
function Compared({ wallet }: { wallet: BetSources['wallet'] }) {
  const { bases } = useSession()
  if (wallet === undefined || !bases.wallet) return null
  const day = wallet.firstSeenAt.slice(0, 10)
  return (
    <p className="small">
      <Link href={comparisonOf(day, bases.platform !== undefined)}>Compare the bets of {day} with the platform’s</Link>
    </p>
  )
}

/** An id is of one bet only together with its player (I-1). */
function Owners({ bet, owners, shown }: { bet: string; owners: readonly string[]; shown: string }) {
  return (
    <p className="notice" role="status">
      {owners.length} players have a bet with this id. This is the one of {shown}; choose:{' '}
      {owners.map((owner, i) => (
        <span key={owner}>
          {i > 0 && ', '}
          <Link href={`/bets/${pathPart(owner)}/${pathPart(bet)}`}>{owner}</Link>
        </span>
      ))}
      .
    </p>
  )
}

function Facts({ sources: { wallet, platform }, history }: { sources: BetSources; history: History }) {
  const { bases } = useSession()
  const isStaked = wallet === undefined ? platform?.status !== 'declined' : wallet.stake !== undefined
  const asked = wallet?.history[refusedPlaceOf(wallet)]
  const currency = history.currency || (asked?.currency ?? '')
  const stake = wallet?.stake ?? platform?.amount ?? asked?.amount
  const payout = wallet === undefined ? platform?.payout : wallet.payout
  const net = wallet && netSoFar(wallet)
  const counts = wallet && countsOf(paidOf(wallet))
  const taken = wallet && takenOf(wallet)
  const isRefunded = wallet?.status === 'cancelled' && isStaked
  const odds = platform?.coefficient ?? toldOf(wallet).coefficient ?? undefined
  const player = history.player
  const moneyOf = (amount: string | undefined) => (amount === undefined ? NONE : moneyText(amount, currency))
  return (
    <dl className="facts">
      <Fact name="Player">
        {bases.wallet && wallet !== undefined ? <Link href={`/players/${pathPart(player)}`}>{player}</Link> : player}
        {bases.wallet && wallet === undefined && platform !== undefined && (
          <small className="muted"> of another wallet, the partner {platform.partnerId}</small>
        )}
      </Fact>
      <Fact name={isStaked ? 'Stake' : 'Asked for'}>
        {moneyOf(stake)}
        {taken !== undefined && <small className="muted"> {taken}</small>}
      </Fact>
      <Fact name={isRefunded ? 'Refund' : 'Payout'}>
        {moneyOf(isRefunded ? wallet?.stake : payout)}
        {isRefunded && wallet?.stakePaidBy === 'promotions' && <small className="muted"> to promotions</small>}
        {counts !== undefined && <small className="muted"> {counts}</small>}
      </Fact>
      {wallet !== undefined && (
        <Fact name="Net for the player">
          {net === undefined ? NONE : `${signed(net.net)} ${currency}`}
          {net?.inPlay !== undefined && <small className="muted"> and {moneyText(net.inPlay, currency)} in play</small>}
        </Fact>
      )}
      {odds !== undefined && (
        <Fact name="Odds">
          {text(odds)}
          {wallet?.oddsPayout !== undefined && (
            <small className="muted"> pay at most {moneyText(wallet.oddsPayout, currency)}</small>
          )}
        </Fact>
      )}
      <div>
        <dt>{isStaked ? 'Placed' : asked === undefined && platform === undefined ? 'First call' : 'Asked at'}</dt>
        <dd className="small">
          <Time at={platform?.placedAt ?? wallet?.firstSeenAt ?? 0} />
        </dd>
      </div>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A line may end before a moment, not within: "2026-11-" at its end reads like a fault. */
function unbroken(sentence: string) {
  return sentence.split(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)/).map((words, i) =>
    i % 2 === 0 ? (
      words
    ) : (
      <span key={words} className="num">
        {words}
      </span>
    ),
  )
}
