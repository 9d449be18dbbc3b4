/** The player's bets in a betting frame, with the results that a user can give them. */
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { Link } from 'wouter'
import { amountText, moneyText } from '../charts/format.tsx'
import { IdEnd, ShortId } from '../controls/ids.tsx'
import { ActionError, Badge } from '../controls/page-states.tsx'
import type { FrameBet } from './betting-frame.tsx'

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

interface FrameBetListProps {
  readonly bets: readonly FrameBet[]
  readonly isBusy: boolean
  /** The last action that failed. */
  readonly fault: Error | null
  /** Shown without bets. */
  readonly hint: string
  /** Undefined if no page shows the bet's timeline. */
  timelineOf?(betId: string): string
  end(betId: string, action: string): void
}

export function FrameBetList({ bets, isBusy, fault, hint, timelineOf, end }: FrameBetListProps) {
  if (bets.length === 0) return <p className="demo-hint muted">{hint}</p>
  return (
    <ul className="demo-bets">
      {fault !== null && (
        <li>
          <ActionError>Something went wrong: {fault.message}.</ActionError>
        </li>
      )}
      {bets.map((bet) => (
        <li key={bet.betId}>
          <BetSummary bet={bet} />
          <div className="demo-actions">
            <span className="muted small">
              {timelineOf === undefined ? <IdEnd id={bet.betId} /> : <ShortId id={bet.betId} />}
            </span>
            {(CHOICES[statusOf(bet)] ?? []).map(([action, text]) => (
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
            {timelineOf !== undefined && (
              <Link className="story" href={timelineOf(bet.betId)}>
                View timeline →
              </Link>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

const statusOf = ({ status, resultType }: FrameBet) => (status === 'settled' ? (resultType ?? 'lost') : status)

function BetSummary({ bet }: { bet: FrameBet }) {
  const now = statusOf(bet)
  const [tone, word] = STATES[now] ?? ['plain', now]
  const { notBooked } = bet
  return (
    <>
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
    </>
  )
}
