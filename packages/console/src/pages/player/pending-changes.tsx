/**
 * Pending changes of a player, each of which lifts an exclusion or raises a limit after a delay
 * (W-50).
 *
 * When the delay is over, the same request sent again applies the change. A request with the
 * present value discards the change. The buttons send these requests.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { callApi } from '../../app/console-api.ts'
import { displayName, hasRole, useSession } from '../../app/console-session.tsx'
import { amountText, hasCome, Time, useEverySecond } from '../../shared/charts/format.tsx'
import { ActionError } from '../../shared/controls/page-states.tsx'
import './adjust.css'

export interface PendingChange {
  readonly member: 'status' | 'selfExcludedUntil' | 'limits.stake' | 'limits.loss' | 'limits.betCount'
  readonly value: string | number | null
  readonly askedAt: string
  readonly askedBy: { readonly person: string }
  readonly from?: string
  readonly until: string
}

/** The members that protect a player, with their pending changes. */
export interface Protections {
  readonly status?: string
  readonly selfExcludedUntil?: string | null
  readonly limits?: { readonly stake?: string; readonly loss?: string; readonly betCount?: number }
  readonly waiting?: readonly PendingChange[]
}

interface PendingChangesProps {
  /** The API path of the player. */
  readonly base: string
  readonly player: Protections
}

export function PendingChanges({ base, player }: PendingChangesProps) {
  const open = (player.waiting ?? []).filter(({ until }) => !hasCome(until))
  if (open.length === 0) return null
  return (
    <section className="waiting-changes" aria-label="Pending changes">
      <h3>Pending changes</h3>
      <ul className="asked">
        {open.map((change) => (
          <Pending key={change.member} base={base} player={player} change={change} />
        ))}
      </ul>
    </section>
  )
}

function Pending({ base, player, change }: PendingChangesProps & { change: PendingChange }) {
  const { person } = useSession()
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (value: PendingChange['value']) => callApi<Protections>('PATCH', base, patchOf(change.member, value)),
    onSettled: () => void client.invalidateQueries(),
  })
  const { from, until } = change
  const isEarly = useEverySecond(() => from !== undefined && !hasCome(from))
  const stillWaits = decide.data?.waiting?.some(({ member }) => member === change.member) === true
  return (
    <li>
      <span className="asked-what">
        <strong>{textOf(change)}</strong>
        <span className="muted small">
          requested by {displayName({ name: change.askedBy.person })}, <Time at={change.askedAt} />;{' '}
          {from === undefined ? 'another user can approve it' : 'it can be confirmed'}{' '}
          {from !== undefined && (
            <>
              from <Time at={from} />{' '}
            </>
          )}
          until <Time at={until} />
        </span>
        {decide.error !== null && <ActionError>Something went wrong: {decide.error.message}.</ActionError>}
        {stillWaits && (
          <ActionError>
            {from === undefined ? 'Another user must approve this change.' : 'This change cannot be confirmed yet.'}
          </ActionError>
        )}
      </span>
      {hasRole(person, 'support') && (
        <span className="choices">
          <button
            type="button"
            className="button"
            disabled={decide.isPending}
            onClick={() => decide.mutate(presentValue(player, change.member))}
          >
            Discard
          </button>
          <button
            type="button"
            className="button main-one"
            disabled={decide.isPending || isEarly}
            onClick={() => decide.mutate(change.value)}
          >
            {from === undefined ? 'Approve' : 'Confirm'}
          </button>
        </span>
      )}
    </li>
  )
}

/** The member `limits.stake` is nested in `limits`. */
function patchOf(member: PendingChange['member'], value: PendingChange['value']): object {
  const [outer = '', inner] = member.split('.')
  return { [outer]: inner === undefined ? value : { [inner]: value } }
}

function presentValue(player: Protections, member: PendingChange['member']): PendingChange['value'] {
  const { status = null, selfExcludedUntil = null, limits = {} } = player
  switch (member) {
    case 'status':
      return status
    case 'selfExcludedUntil':
      return selfExcludedUntil
    case 'limits.stake':
      return limits.stake ?? null
    case 'limits.loss':
      return limits.loss ?? null
    case 'limits.betCount':
      return limits.betCount ?? null
  }
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
      return value === null ? 'No daily bet limit' : `Daily bet limit: ${value.toLocaleString('en')}`
    default: {
      const what = member === 'limits.stake' ? 'stake' : 'loss'
      return value === null ? `No daily ${what} limit` : `Daily ${what} limit: ${amountText(String(value))}`
    }
  }
}
