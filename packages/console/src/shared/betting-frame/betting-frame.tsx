/** Betting frame: matches with moving odds, and the bet slip. */

import { replyCode } from '@purser/protocol/reply-codes'
import { type FormEvent, useState } from 'react'
import './betting-frame.css'

const OUTCOMES = ['home', 'draw', 'away'] as const
type Outcome = (typeof OUTCOMES)[number]

export interface FrameMatch {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly odds: Readonly<Record<Outcome, string>>
  readonly moved: Readonly<Record<Outcome, -1 | 0 | 1>>
}

export interface FrameBet {
  readonly betId: string
  readonly event: string
  readonly outcome: string
  readonly odds: string
  readonly stake: string
  readonly currency: string
  readonly isFree: boolean
  readonly status: string
  readonly payout?: string
  readonly resultType?: string
  /** The wallet rejected the last decision. `paid` is the amount that stays paid. */
  readonly notBooked?: { readonly code?: number; readonly paid?: string }
}

export interface FrameState {
  readonly player: string
  readonly currency: string
  readonly currencies: readonly string[]
  /** True if promotions pay the stakes of freebets. */
  readonly hasFreebets: boolean
  /** Null if the wallet does not tell it. */
  readonly balance: string | null
  readonly matches: readonly FrameMatch[]
  readonly bets: readonly FrameBet[]
}

export interface FramePick {
  readonly matchId: string
  readonly outcome: Outcome
}

export interface FramePlacement {
  readonly status: string
  readonly reason?: string
}

interface MatchesProps {
  readonly matches: readonly FrameMatch[]
  readonly pick: FramePick | undefined
  onPick(pick: FramePick): void
}

export function MatchList({ matches, pick, onPick }: MatchesProps) {
  return (
    <div className="matches">
      {matches.map((match) => (
        <div className="match" key={match.id}>
          <span className="teams">
            <strong>{match.home}</strong>
            <strong>{match.away}</strong>
          </span>
          {OUTCOMES.map((outcome) => {
            const isPicked = pick?.matchId === match.id && pick.outcome === outcome
            const moved = match.moved[outcome]
            return (
              <button
                key={outcome}
                type="button"
                className="odds"
                aria-pressed={isPicked}
                onClick={() => onPick({ matchId: match.id, outcome })}
              >
                <span className="small">{outcomeName(match, outcome)}</span>
                <span className="price">
                  {match.odds[outcome]}
                  <span className={moved > 0 ? 'up' : 'down'} aria-hidden="true">
                    {moved > 0 ? '▲' : moved < 0 ? '▼' : ''}
                  </span>
                </span>
              </button>
            )
          })}
        </div>
      ))}
    </div>
  )
}

function outcomeName({ home, away }: FrameMatch, outcome: Outcome): string {
  return outcome === 'draw' ? 'Draw' : outcome === 'home' ? home : away
}

/** The currency decides how many decimals are possible. */
const STAKE = /^\d{1,9}(\.\d{1,8})?$/

interface SlipProps {
  readonly state: FrameState
  readonly pick: FramePick | undefined
  readonly isBusy: boolean
  readonly fault: Error | null
  readonly placed: FramePlacement | undefined
  place(stake: string, isFree: boolean): void
}

export function BetSlip({ state, pick, isBusy, fault, placed, place }: SlipProps) {
  const [stake, setStake] = useState('10.00')
  const [isFree, setFree] = useState(false)
  const match = state.matches.find(({ id }) => id === pick?.matchId)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (match !== undefined) place(stake.trim(), isFree)
  }
  const isAmount = STAKE.test(stake.trim())
  return (
    <form className="slip" onSubmit={submit}>
      <span className="slip-what">
        {match === undefined || pick === undefined ? (
          <span className="muted">Select odds above</span>
        ) : (
          <>
            <strong>{outcomeName(match, pick.outcome)}</strong> <span className="muted">at</span>{' '}
            <strong>{match.odds[pick.outcome]}</strong>
          </>
        )}
      </span>
      <label>
        <span className="vh">Stake</span>
        <input
          value={stake}
          onChange={(event) => setStake(event.target.value)}
          inputMode="decimal"
          aria-invalid={!isAmount}
        />
      </label>
      <span className="muted">{state.currency}</span>
      {state.hasFreebets && (
        <label className="slip-free">
          <input type="checkbox" checked={isFree} onChange={({ target }) => setFree(target.checked)} /> Freebet
        </label>
      )}
      <button type="submit" className="button main-one" disabled={match === undefined || isBusy || !isAmount}>
        {isBusy ? 'Placing…' : 'Place bet'}
      </button>
      <span className="slip-said small" role="status">
        {fault !== null
          ? `The bet was not placed: ${fault.message}.`
          : placed === undefined || isBusy
            ? ''
            : PLACEMENT_TEXTS[placed.status]}
        {fault === null && placed?.reason === HAS_NO_MONEY ? ' There is not enough money.' : ''}
      </span>
    </form>
  )
}

const HAS_NO_MONEY = `partner code ${replyCode('not_enough_money')}`
const PLACEMENT_TEXTS: Readonly<Record<string, string>> = {
  accepted: 'Accepted: the stake is held until the result.',
  declined: 'Declined; no money was taken.',
  cancelled: 'Not accepted; a debited stake is refunded.',
}
