/**
 * Demo page: a betting frame, its calls, the ledger's accounts, and buttons that cause faults. The
 * page uses a real platform, wallet and ledger, and real HTTP calls.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { callApi } from '../../app/console-api.ts'
import { BetSlip, type FrameState, MatchList } from '../../shared/betting-frame/betting-frame.tsx'
import { FaultCaptionCard } from '../../shared/betting-frame/fault-caption.tsx'
import {
  type FaultCaption,
  useFaultScenario,
  useFrameBets,
  useFrameRefresh,
  useFrameState,
} from '../../shared/betting-frame/frame-actions.ts'
import { FrameBetList } from '../../shared/betting-frame/frame-bet-list.tsx'
import { moneyText } from '../../shared/charts/format.tsx'
import { QueryResult } from '../../shared/controls/page-states.tsx'
import { LiveCalls } from './live-calls.tsx'
import { TAccounts } from './t-accounts.tsx'
import './demo.css'

interface DemoState extends FrameState {
  readonly balance: string
  readonly accounts: Readonly<Record<string, string>>
  readonly sum: string
}

const timelineOf = (betId: string) => `/bets/${encodePathSegment(betId)}`

export function DemoPage() {
  const result = useFrameState<DemoState>()
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

function Demo({ state }: { state: DemoState }) {
  const refresh = useFrameRefresh()
  const { pick, setPick, place, end } = useFrameBets()
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
          <FrameBetList
            bets={state.bets}
            isBusy={end.isPending}
            fault={end.error}
            hint="Your bets appear here. Select odds, or make some trouble below."
            timelineOf={timelineOf}
            end={(betId, what) => end.mutate({ betId, what })}
          />
        </section>
        <div className="demo-right">
          <LiveCalls />
          <TAccounts accounts={state.accounts} sum={state.sum} currency={state.currency} />
        </div>
      </div>
      <Troubles />
    </>
  )
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

function Troubles() {
  const [captions, setCaptions] = useState<readonly FaultCaption[]>([])
  const make = useFaultScenario(undefined, (_name, caption) =>
    setCaptions((before) => [caption, ...before].slice(0, 5)),
  )
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
          <FaultCaptionCard key={caption.betIds.join()} caption={caption}>
            <span className="spring" />
            {caption.betIds.map((id, i) => (
              <Link key={id} href={timelineOf(id)} className="story">
                {caption.betIds.length === 1 ? 'View timeline →' : `Timeline ${i + 1} →`}
              </Link>
            ))}
          </FaultCaptionCard>
        ))}
      </div>
    </section>
  )
}
