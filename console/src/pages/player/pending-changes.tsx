/** Changes that lift an exclusion or raise a limit of a player may wait (W-50). */
import type { ReactNode } from 'react'
import { amountText, Time } from '../../format.tsx'
import { nameOf } from '../../session.tsx'

export interface PendingChange {
  readonly member: 'status' | 'selfExcludedUntil' | 'limits.stake' | 'limits.loss' | 'limits.betCount'
  readonly value: string | number | null
  readonly askedAt: string
  readonly askedBy: { readonly person: string }
  readonly from?: string
  readonly until: string
}

export function PendingChanges({ changes }: { changes: readonly PendingChange[] }) {
  const open = changes.filter(({ until }) => Date.parse(until) > Date.now())
  if (open.length === 0) return null
  return (
    <section className="waiting-changes" aria-label="Pending changes">
      <h3>Pending changes</h3>
      <ul>
        {open.map((change) => (
          <li key={change.member}>
            <strong>{textOf(change)}</strong>{' '}
            <span className="muted small">
              requested by {nameOf({ name: change.askedBy.person })}, <Time at={change.askedAt} />; the same request
              {change.from === undefined ? ' of another person' : ''} makes it{' '}
              {change.from !== undefined && (
                <>
                  from <Time at={change.from} />{' '}
                </>
              )}
              until <Time at={change.until} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function textOf({ member, value }: PendingChange): ReactNode {
  switch (member) {
    case 'status':
      return 'The account is unblocked'
    case 'selfExcludedUntil':
      return value === null ? (
        'The self-exclusion ends'
      ) : (
        <>
          The self-exclusion ends <Time at={String(value)} />
        </>
      )
    case 'limits.betCount':
      return value === null ? 'No limit of bets a day' : `Bets a day: ${value.toLocaleString('en')}`
    default: {
      const what = member === 'limits.stake' ? 'stakes' : 'losses'
      return value === null ? `No limit of ${what} a day` : `Limit of ${what} a day: ${amountText(String(value))}`
    }
  }
}
