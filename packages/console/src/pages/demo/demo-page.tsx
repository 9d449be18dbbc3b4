/**
 * Demo page: a betting frame, its calls, the ledger's accounts, and buttons that cause faults. The
 * page uses a real platform, wallet and ledger, and real HTTP calls.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { callApi, getJson } from '../../app/console-api.ts'
import {
  BetSlip,
  type FramePick,
  type FramePlacement,
  type FrameState,
  MatchList,
} from '../../shared/betting-frame/betting-frame.tsx'
import { amountText, moneyText } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { Badge, QueryResult } from '../../shared/controls/page-states.tsx'
import { LiveCalls } from './live-calls.tsx'
import { TAccounts } from './t-accounts.tsx'
import './demo.css'

const POLL_MS = 700

export function DemoPage() {
  const result = useQuery({
    queryKey: ['frame'],
    queryFn: ({ signal }) => getJson<FrameState>('/sandbox/frame', signal),
    refetchInterval: POLL_MS,
  })
  return (
    <div className="page demo">
      <div className="head">
        <div>
          <h1>See the money move</h1>
          <p className="muted">
            Everything here is real: a platform, a wallet, the calls between them, and a ledger that sums to zero.
          </p>
        </div>
        <span className="spring" />
        <a href="/sandbox">Endpoints and keys</a>
      </div>
      <QueryResult of={result}>{(state) => <Demo state={state} />}</QueryResult>
    </div>
  )
}

function Demo({ state }: { state: FrameState }) {
  const client = useQueryClient()
  const [pick, setPick] = useState<FramePick>()
  const refresh = () => void client.invalidateQueries({ queryKey: ['frame'] })
  const place = useMutation({
    mutationFn: (slip: { stake: string; isFree: boolean }) =>
      callApi<FramePlacement>('POST', '/sandbox/frame/bets', { ...pick, ...slip }),
    onSettled: refresh,
  })
  const end = useMutation({
    mutationFn: ({ betId, what: action }: { betId: string; what: string }) =>
      callApi('POST', `/sandbox/frame/bets/${encodePathSegment(betId)}`, { what: action }),
    onSettled: refresh,
  })
  const switchTo = useMutation({
    mutationFn: (currency: string) => callApi('POST', '/sandbox/frame/currency', { currency }),
    onSettled: refresh,
  })
  const payIn = useMutation({ mutationFn: () => callApi('POST', '/sandbox/frame/money'), onSettled: refresh })
  return (
    <>
      <div className="demo-columns">
        <section className="card frame-card" aria-label="Betting frame">
          <header>
            <h2>Betting frame</h2>
            <span className="spring" />
            <fieldset className="switch" aria-label="Currency of the player">
              {state.currencies.map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-pressed={state.currency === one}
                  disabled={switchTo.isPending}
                  onClick={() => switchTo.mutate(one)}
                >
                  {one}
                </button>
              ))}
            </fieldset>
            <span className="purse-line">
              <span className="purse">
                <span className="muted small">{state.player}</span>{' '}
                <strong>{moneyText(state.balance, state.currency)}</strong>
              </span>
              <button type="button" className="button" onClick={() => payIn.mutate()} disabled={payIn.isPending}>
                Deposit 100
              </button>
            </span>
          </header>
          <MatchList matches={state.matches} pick={pick} onPick={setPick} />
          <BetSlip
            state={state}
            pick={pick}
            isBusy={place.isPending}
            fault={place.error}
            placed={place.data}
            place={(stake, isFree) => place.mutate({ stake, isFree })}
          />
          <Bets state={state} isBusy={end.isPending} end={(betId, action) => end.mutate({ betId, what: action })} />
        </section>
        <div className="demo-right">
          <LiveCalls />
          <TAccounts accounts={state.accounts} sum={state.sum} currency={state.currency} />
        </div>
      </div>
      <Troubles onDone={refresh} />
    </>
  )
}

const STATES: Readonly<Record<string, readonly [string, string]>> = {
  placing: ['wait', 'Being placed'],
  accepted: ['open', 'Open'],
  declined: ['refused', 'Declined'],
  cancelled: ['plain', 'Cancelled'],
  won: ['good', 'Won'],
  lost: ['plain', 'Lost'],
  refund: ['plain', 'Void'],
  cashout: ['good', 'Cashed out'],
}

const CHOICES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  accepted: [
    ['won', 'Settle: won'],
    ['lost', 'Settle: lost'],
    ['cashout', 'Cash out'],
  ],
  won: [
    ['correct', 'Correct the result'],
    ['take back', 'Unsettle'],
  ],
  lost: [
    ['correct', 'Correct the result'],
    ['take back', 'Unsettle'],
  ],
}

function Bets({
  state: { bets },
  isBusy,
  end,
}: {
  state: FrameState
  isBusy: boolean
  end(betId: string, action: string): void
}) {
  if (bets.length === 0)
    return <p className="demo-hint muted">Your bets appear here. Select odds, or make some trouble below.</p>
  return (
    <ul className="demo-bets">
      {bets.map((bet) => {
        const now = bet.status === 'settled' ? (bet.resultType ?? 'lost') : bet.status
        const [tone, word] = STATES[now] ?? ['plain', now]
        const { notBooked } = bet
        return (
          <li key={bet.betId}>
            <div className="demo-bet">
              <span>
                <strong>{bet.outcome}</strong> <span className="muted">{bet.odds}</span>
                <span className="small muted demo-event">{bet.event}</span>
              </span>
              <span className="num">
                {moneyText(bet.stake, bet.currency)}
                {bet.isFree && <span className="small muted demo-event">freebet</span>}
                {bet.payout !== undefined && notBooked === undefined && (
                  <span className="small muted demo-event">paid {amountText(bet.payout)}</span>
                )}
              </span>
              <Badge tone={notBooked === undefined ? tone : 'bad'}>
                {word}
                {notBooked !== undefined && ' – not processed'}
              </Badge>
            </div>
            {notBooked !== undefined && (
              <p className="small demo-not-booked">
                The wallet rejected it{notBooked.code !== undefined && `: ${describeReplyCode(notBooked.code)}`}
                {notBooked.paid !== undefined && `; ${moneyText(notBooked.paid, bet.currency)} still paid`}.
              </p>
            )}
            <div className="demo-actions">
              <span className="muted small">
                <ShortId id={bet.betId} />
              </span>
              {(CHOICES[now] ?? []).map(([action, text]) => (
                <button
                  key={action}
                  type="button"
                  className="button small"
                  disabled={isBusy}
                  onClick={() => end(bet.betId, action)}
                >
                  {text}
                </button>
              ))}
              <Link className="story" href={`/bets/${encodePathSegment(bet.betId)}`}>
                View timeline →
              </Link>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

interface Caption {
  readonly title: string
  readonly story: string
  readonly money: string
  readonly isAsDemanded: boolean
  readonly betIds: readonly string[]
}

const TROUBLES = [
  ['lost answer', 'Lose the next answer', 'The wallet accepts; its response is lost'],
  ['twice', 'Send it twice', 'The same request, two times'],
  ['late answer', 'Answer after 6 s', 'The platform waits for 5'],
  ['late call', 'Rollback first', 'The bet arrives after its Rollback'],
  ['correct', 'Correct the result', 'Won and paid, then corrected to lost'],
  ['take back', 'Unsettle', 'Won and paid, then the result is withdrawn'],
  ['two bets', 'Two bets of 80 on 100', 'At the same time, with a balance of 100'],
  ['kill', 'Kill the wallet', 'kill -9 on a second wallet, with a bet open; takes some seconds'],
] as const

function Troubles({ onDone }: { onDone(): void }) {
  const [captions, setCaptions] = useState<readonly Caption[]>([])
  const make = useMutation({
    mutationFn: (trouble: string) => callApi<Caption>('POST', '/sandbox/frame/troubles', { trouble }),
    onSuccess: (caption) => setCaptions((before) => [caption, ...before].slice(0, 5)),
    onSettled: onDone,
  })
  return (
    <section className="card" aria-label="Make trouble">
      <header>
        <h2>Make trouble</h2>
        <span className="muted small">Each button places a bet and causes a real fault on the wire.</span>
      </header>
      <div className="body demo-troubles">
        {TROUBLES.map(([trouble, name, action]) => (
          <button
            key={trouble}
            type="button"
            className="button trouble"
            disabled={make.isPending}
            onClick={() => make.mutate(trouble)}
          >
            <span>{name}</span>
            <span className="small muted">{make.isPending && make.variables === trouble ? 'Running…' : action}</span>
          </button>
        ))}
      </div>
      <div aria-live="polite">
        {make.error !== null && <p className="notice demo-notice">Something went wrong: {make.error.message}.</p>}
        {captions.map((caption) => (
          <article key={caption.betIds.join()} className="caption">
            <div className="head">
              <h3>{caption.title}</h3>
              {caption.isAsDemanded ? (
                <Badge tone="good">Correct per spec</Badge>
              ) : (
                <Badge tone="bad">Not correct per spec</Badge>
              )}
              <span className="spring" />
              {caption.betIds.map((id, i) => (
                <Link key={id} href={`/bets/${encodePathSegment(id)}`} className="story">
                  {caption.betIds.length === 1 ? 'View timeline →' : `Timeline ${i + 1} →`}
                </Link>
              ))}
            </div>
            <p>{caption.story}</p>
            <p className="where">{caption.money}</p>
          </article>
        ))}
      </div>
    </section>
  )
}
