/**
 * Page of a bet: its state, a sentence that support can read out, the timeline, and the details of
 * the selected decision or call.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { renderBetExport } from '@purser/timeline/bet-export'
import { buildBetHistory, netSoFar } from '@purser/timeline/bet-history'
import { describeStanding } from '@purser/timeline/bet-standing'
import { findRefusedPlace } from '@purser/timeline/call-explanation'
import css from '@purser/timeline/drawing/timeline.css?raw'
import { drawTimeline } from '@purser/timeline/drawing/timeline-drawing'
import type { Scale } from '@purser/timeline/drawing/timeline-layout'
import type { BetHistory } from '@purser/timeline/drawing/timeline-moments'
import { describePayoutCounts, describeStakeCounts, toPayoutHistory } from '@purser/timeline/payout-history'
import { toSimulatorReplay } from '@purser/timeline/simulator-replay'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import '@purser/timeline/drawing/timeline.css'
import { useSession } from '../../app/console-session.tsx'
import { moneyText, Time } from '../../shared/charts/format.tsx'
import { Picture } from '../../shared/charts/svg-picture.tsx'
import { useFilters } from '../../shared/controls/filter-fields.tsx'
import { CopyButton, Id } from '../../shared/controls/ids.tsx'
import { Badge, DASH, QueryResult } from '../../shared/controls/page-states.tsx'
import { useBalanceBeforeCall } from '../../shared/data/balance-before-call.ts'
import { type BetSources, type JournalState, useBet } from '../../shared/data/bet-data.ts'
import { downloadText } from '../../shared/data/file-download.ts'
import { AdjustButton } from '../player/adjustment-form.tsx'
import { comparisonLink } from '../reports/day-links.ts'
import { BetAdjustmentList } from './bet-adjustments.tsx'
import { BetAnomalies } from './bet-anomalies.tsx'
import { jsonText, placeBetDetails, SelectionTable } from './bet-selections.tsx'
import { MomentPanel } from './moment-panel.tsx'
import { ReplayExport } from './replay-export.tsx'
import './bet.css'

export function BetPage({ bet, user }: { bet: string; user?: string | undefined }) {
  const asked = useBet(bet, user)
  return (
    <div className="page bet-page">
      <QueryResult of={asked} around={(inner) => <BetHeader bet={bet}>{inner}</BetHeader>}>
        {(sources) => <Bet bet={bet} sources={sources} callsAre={asked.callsAre} />}
      </QueryResult>
    </div>
  )
}

function BetHeader({ bet, beside: headerContent, children }: { bet: string; beside?: ReactNode; children: ReactNode }) {
  return (
    <>
      <div className="head">
        <h1>Bet</h1>
        <Id id={bet} whole />
        <CopyButton text={bet} />
        {headerContent}
      </div>
      {children}
    </>
  )
}

interface BetProps {
  readonly bet: string
  readonly sources: BetSources
  readonly callsAre: JournalState
}

function Bet({ bet, sources, callsAre }: BetProps) {
  const [query, set] = useFilters()
  const scale: Scale = query.get('scale') === 'time' ? 'time' : 'compact'
  const chosen = query.get('moment') ?? undefined
  const choose = (id: string | undefined) => set('moment', id === chosen ? '' : (id ?? ''), true)
  const history = useMemo(() => buildBetHistory(sources), [sources])
  const { wallet, platform } = sources
  const available = useBalanceBeforeCall(wallet, wallet === undefined ? -1 : findRefusedPlace(wallet))
  const standing = describeStanding(wallet, platform, available)
  const picture = useMemo(() => drawTimeline(history, { scale, selected: chosen }), [history, scale, chosen])
  const share = () => {
    const replay = wallet && toSimulatorReplay(wallet).saved
    const file = renderBetExport({ history, standing, css, madeAt: new Date(), replay })
    downloadText(`bet-${bet.slice(0, 8)}.html`, file, 'text/html')
  }
  const moment = history.moments.find(({ id }) => id === chosen)
  const headerContent = (
    <>
      <Badge tone={standing.tone}>{standing.state}</Badge>
      <span className="spring" />
      <span className="choices">
        <button type="button" className="button" onClick={share}>
          Export (HTML)
        </button>
        {wallet !== undefined && wallet.history.length > 0 && <ReplayExport wallet={wallet} />}
        {wallet?.currency !== undefined && (
          <AdjustButton user={wallet.userId} currencies={[wallet.currency]} bet={wallet.transactionId} />
        )}
      </span>
    </>
  )
  return (
    <BetHeader bet={bet} beside={headerContent}>
      {sources.owners.length > 1 && <Owners bet={bet} owners={sources.owners} shown={history.player} />}
      <p className="sentence">{keepTimesUnbroken(standing.sentence)}</p>
      <Facts sources={sources} history={history} />
      <section className="card happened" aria-label="Timeline">
        <header>
          <h2>Timeline</h2>
          <span className="spring" />
          <fieldset className="switch" aria-label="Scale">
            {(['compact', 'time'] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={scale === one}
                onClick={() => set('scale', one === 'time' ? one : '')}
              >
                {one === 'compact' ? 'Sequence' : 'To scale'}
              </button>
            ))}
          </fieldset>
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it */}
        <section className="body picture tl-scroll" aria-label="Diagram" tabIndex={0}>
          <Picture of={picture} onChoose={choose} />
        </section>
        {moment === undefined ? (
          <p className="hint muted small">Select an event to see its request, response and explanation.</p>
        ) : (
          <MomentPanel moment={moment} wallet={wallet} callsAre={callsAre} close={() => choose(undefined)} />
        )}
      </section>
      {wallet !== undefined && <BetAnomalies of={wallet} />}
      {wallet !== undefined && <BetAdjustmentList of={wallet} />}
      <SelectionTable sources={sources} />
      <ComparisonLink wallet={wallet} />
    </BetHeader>
  )
}

/** Link to the reconciliation of the bet's day. */
function ComparisonLink({ wallet }: { wallet: BetSources['wallet'] }) {
  const { bases } = useSession()
  if (wallet === undefined || !bases.wallet) return null
  const day = wallet.firstSeenAt.slice(0, 10)
  return (
    <p className="small">
      <Link href={comparisonLink(day, bases.platform !== undefined)}>
        Compare the bets of {day} with the platform’s
      </Link>
    </p>
  )
}

/** An id identifies a bet only together with its player (I-1). */
function Owners({ bet, owners, shown }: { bet: string; owners: readonly string[]; shown: string }) {
  return (
    <p className="notice" role="status">
      {owners.length} players have a bet with this ID. This page shows the bet of {shown}. Players:{' '}
      {owners.map((owner, i) => (
        <span key={owner}>
          {i > 0 && ', '}
          <Link href={`/bets/${encodePathSegment(owner)}/${encodePathSegment(bet)}`}>{owner}</Link>
        </span>
      ))}
      .
    </p>
  )
}

function Facts({ sources: { wallet, platform }, history }: { sources: BetSources; history: BetHistory }) {
  const { bases } = useSession()
  const isStaked = wallet === undefined ? platform?.status !== 'declined' : wallet.stake !== undefined
  const asked = wallet?.history[findRefusedPlace(wallet)]
  const currency = history.currency || (asked?.currency ?? '')
  const stake = wallet?.stake ?? platform?.amount ?? asked?.amount
  const payout = wallet === undefined ? platform?.payout : wallet.payout
  const net = wallet && netSoFar(wallet)
  const counts = wallet && describePayoutCounts(toPayoutHistory(wallet))
  const taken = wallet && describeStakeCounts(wallet)
  const isRefunded = wallet?.status === 'cancelled' && isStaked
  const odds = platform?.coefficient ?? placeBetDetails(wallet).coefficient ?? undefined
  const player = history.player
  const moneyOf = (amount: string | undefined) => (amount === undefined ? DASH : moneyText(amount, currency))
  return (
    <dl className="facts">
      <Fact name="Player">
        {bases.wallet && wallet !== undefined ? (
          <Link href={`/players/${encodePathSegment(player)}`}>{player}</Link>
        ) : (
          player
        )}
        {bases.wallet && wallet === undefined && platform !== undefined && (
          <small className="muted"> in another wallet, partner {platform.partnerId}</small>
        )}
      </Fact>
      <Fact name={isStaked ? 'Stake' : 'Requested stake'}>
        {moneyOf(stake)}
        {taken !== undefined && <small className="muted"> {taken}</small>}
      </Fact>
      <Fact name={isRefunded ? 'Refund' : 'Payout'}>
        {moneyOf(isRefunded ? wallet?.stake : payout)}
        {isRefunded && wallet?.stakePaidBy === 'promotions' && <small className="muted"> to promotions</small>}
        {counts !== undefined && <small className="muted"> {counts}</small>}
      </Fact>
      {wallet !== undefined && (
        <Fact name="Player net">
          {net === undefined ? DASH : `${formatSigned(net.net)} ${currency}`}
          {net?.inPlay !== undefined && (
            <small className="muted"> and {moneyText(net.inPlay, currency)} in open stakes</small>
          )}
        </Fact>
      )}
      {odds !== undefined && (
        <Fact name="Odds">
          {jsonText(odds)}
          {wallet?.oddsPayout !== undefined && (
            <small className="muted"> pay at most {moneyText(wallet.oddsPayout, currency)}</small>
          )}
        </Fact>
      )}
      <div>
        <dt>{isStaked ? 'Placed' : asked === undefined && platform === undefined ? 'First call' : 'Requested'}</dt>
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

/** A line may break before a time but not within it. */
function keepTimesUnbroken(sentence: string) {
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
