/**
 * Manual adjustments of a bet, booked and pending. The bet's page and the adjustment form both show
 * them, so that no user pays a bet twice.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { useQuery } from '@tanstack/react-query'
import { getJsonOrNone } from '../../app/console-api.ts'
import { Time } from '../../shared/charts/format.tsx'
import { type AdjustmentProposal, PendingAdjustment } from '../player/pending-adjustment.tsx'

export interface BetAdjustment {
  readonly at?: string
  readonly transferId: string
  readonly currency: string
  readonly amount: string
  readonly reason: string
  readonly person: string
  readonly ticket?: string
  readonly approvedBy?: string
}

export interface BetAdjustments {
  readonly adjusted?: readonly { readonly currency: string; readonly amount: string }[]
  readonly adjustments?: readonly BetAdjustment[]
  readonly pendingAdjustments?: readonly AdjustmentProposal[]
}

export function BetAdjustmentList({
  of: { adjusted = [], adjustments = [], pendingAdjustments = [] },
}: {
  of: BetAdjustments
}) {
  if (adjustments.length === 0 && pendingAdjustments.length === 0) return null
  const sums = adjusted.map(({ amount, currency }) => `${formatSigned(amount)} ${currency}`).join(', ')
  return (
    <section className="card" aria-label="Adjusted by hand">
      <header>
        <h2>Adjusted by hand</h2>
        {adjustments.length > 1 && <span className="muted small">in total {sums}</span>}
      </header>
      <ul className="asked">
        {adjustments.map((one) => (
          <li key={one.transferId}>
            <strong className="num">
              {formatSigned(one.amount)} {one.currency}
            </strong>
            <span className="asked-what">
              <span>
                {one.reason}
                {one.ticket !== undefined && <span className="muted"> ({one.ticket})</span>}
              </span>
              <span className="muted small">
                by {one.person}
                {one.approvedBy !== undefined && `, approved by ${one.approvedBy}`}, <AdjustmentTime of={one} />
              </span>
            </span>
          </li>
        ))}
        {pendingAdjustments.map((one) => (
          <PendingAdjustment key={one.reference} one={one} />
        ))}
      </ul>
    </section>
  )
}

function AdjustmentTime({ of: { at, transferId } }: { of: BetAdjustment }) {
  return at === undefined ? <>transfer {transferId} is archived in a file</> : <Time at={at} />
}

/** The form shows these lines before another adjustment is sent. */
export function EarlierAdjustments({ user, bet }: { user: string; bet: string }) {
  const { data } = useQuery({
    queryKey: ['adjusted-before', user, bet],
    queryFn: ({ signal }) =>
      getJsonOrNone<BetAdjustments>(
        `/operator/players/${encodePathSegment(user)}/bets/${encodePathSegment(bet)}`,
        signal,
      ).then((found) => found ?? {}),
    gcTime: 0, // a reopened form loads them again
  })
  const { adjustments = [], pendingAdjustments = [] } = data ?? {}
  if (adjustments.length === 0 && pendingAdjustments.length === 0) return null
  return (
    <div className="notice" role="status">
      {adjustments.map((one) => (
        <p key={one.transferId}>
          Already adjusted by hand: {formatSigned(one.amount)} {one.currency}, {one.reason}, {one.person},{' '}
          <AdjustmentTime of={one} />.
        </p>
      ))}
      {pendingAdjustments.map((one) => (
        <p key={one.reference}>
          Pending approval: {formatSigned(one.amount)} {one.currency}, {one.reason}, {one.proposedBy.person},{' '}
          <Time at={one.proposedAt} />.
        </p>
      ))}
    </div>
  )
}
