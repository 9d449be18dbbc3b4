/** An adjustment that was asked for and needs a second person: what it is, and the buttons of whoever may decide. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { ask } from '../api.ts'
import { Time } from '../format.tsx'
import { mayDo, useSession } from '../session.tsx'
import './adjust.css'

/** Asked for, and not made. */
export interface Asked {
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

export function AskedFor({ one }: { one: Asked }) {
  const { person } = useSession()
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (what: 'approve' | 'refuse') =>
      ask('POST', `/operator/players/${pathPart(one.userId)}/adjustments/${what}`, { reference: one.reference }),
    onSettled: () => void client.invalidateQueries(),
  })
  return (
    <li>
      <strong className="num">
        {signed(one.amount)} {one.currency}
      </strong>
      <span className="asked-what">
        <span>
          for <Link href={`/players/${pathPart(one.userId)}`}>{one.userId}</Link>: {one.reason}
          {one.ticket !== undefined && <span className="muted"> ({one.ticket})</span>}
        </span>
        <span className="muted small">
          <code>{one.reference}</code>, asked for by {one.proposedBy.person}, <Time at={one.proposedAt} />
        </span>
        <span className="muted small">
          <Outcome one={one} />
        </span>
        {decide.error !== null && (
          <span className="notice" role="alert">
            Not done: {decide.error.message}.
          </span>
        )}
      </span>
      {one.status === 'pending' && mayDo(person, 'cash') && (
        <span className="choices">
          <button type="button" className="button" disabled={decide.isPending} onClick={() => decide.mutate('refuse')}>
            Refuse
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

/** Nothing has moved for it: what may still become of it, or why nothing will. */
function Outcome({ one: { status, expiresAt, decidedBy, decidedAt } }: { one: Asked }) {
  if (status === 'pending')
    return (
      <>
        can be approved until <Time at={expiresAt} />
      </>
    )
  if (status === 'expired')
    return (
      <>
        nobody approved it until <Time at={expiresAt} />
      </>
    )
  return (
    <>
      refused by {decidedBy?.person}, {decidedAt !== undefined && <Time at={decidedAt} />}
    </>
  )
}
