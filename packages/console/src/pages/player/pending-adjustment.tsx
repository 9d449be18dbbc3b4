/** A manual adjustment that waits for approval, with buttons to approve or reject it. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { callApi } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import { Time } from '../../shared/charts/format.tsx'
import './adjust.css'

/** A requested adjustment that has not been booked. */
export interface AdjustmentProposal {
  readonly userId: string
  readonly reference: string
  readonly currency: string
  readonly amount: string
  readonly reason: string
  readonly ticket?: string
  readonly proposedBy: { readonly person: string }
  readonly proposedAt: string
  readonly expiresAt: string
  readonly status: 'pending' | 'refused' | 'expired'
  readonly decidedBy?: { readonly person: string }
  readonly decidedAt?: string
}

export function PendingAdjustment({ one: proposal }: { one: AdjustmentProposal }) {
  const { person } = useSession()
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'refuse') =>
      callApi('POST', `/operator/players/${encodePathSegment(proposal.userId)}/adjustments/${decision}`, {
        reference: proposal.reference,
      }),
    onSettled: () => void client.invalidateQueries(),
  })
  return (
    <li>
      <strong className="num">
        {formatSigned(proposal.amount)} {proposal.currency}
      </strong>
      <span className="asked-what">
        <span>
          for <Link href={`/players/${encodePathSegment(proposal.userId)}`}>{proposal.userId}</Link>: {proposal.reason}
          {proposal.ticket !== undefined && <span className="muted"> ({proposal.ticket})</span>}
        </span>
        <span className="muted small">
          <code>{proposal.reference}</code>, requested by {proposal.proposedBy.person},{' '}
          <Time at={proposal.proposedAt} />
        </span>
        <span className="muted small">
          <Outcome one={proposal} />
        </span>
        {decide.error !== null && (
          <span className="notice" role="alert">
            Something went wrong: {decide.error.message}.
          </span>
        )}
      </span>
      {proposal.status === 'pending' && hasRole(person, 'cash') && (
        <span className="choices">
          <button type="button" className="button" disabled={decide.isPending} onClick={() => decide.mutate('refuse')}>
            Reject
          </button>
          <button
            type="button"
            className="button main-one"
            disabled={decide.isPending}
            onClick={() => decide.mutate('approve')}
          >
            Approve
          </button>
        </span>
      )}
    </li>
  )
}

function Outcome({ one: { status, expiresAt, decidedBy, decidedAt } }: { one: AdjustmentProposal }) {
  if (status === 'pending')
    return (
      <>
        can be approved until <Time at={expiresAt} />
      </>
    )
  if (status === 'expired')
    return (
      <>
        expired without approval <Time at={expiresAt} />
      </>
    )
  return (
    <>
      rejected by {decidedBy?.person}, {decidedAt !== undefined && <Time at={decidedAt} />}
    </>
  )
}
