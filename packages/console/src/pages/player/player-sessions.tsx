/** Sessions of a player: start, expiry, end, and the users who started and ended them. */

import { displayName } from '../../app/console-session.tsx'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { capital, Time } from '../../shared/charts/format.tsx'
import { Badge, DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'

interface By {
  readonly operation: string
  readonly key: string
  readonly person?: string
  readonly reason?: string
}

interface SessionRow {
  readonly sessionId: string
  readonly currency: string
  readonly status: 'live' | 'expired' | 'ended'
  readonly begunAt: string
  readonly begunBy?: By
  readonly expiresAt: string
  readonly endedAt?: string
  readonly endedBy?: By
  readonly ip?: string
  readonly country?: string
}

export function PlayerSessions({ base, live }: { base: string; live: LiveMeta }) {
  return (
    <section className="card" aria-label="Sessions">
      <header>
        <h2>Sessions</h2>
      </header>
      <PagedList<SessionRow>
        path={`${base}/sessions?limit=10`}
        columns={COLUMNS}
        keyOf={({ sessionId }) => sessionId}
        empty={
          <EmptyState title="No session yet.">
            <p>Your site starts a session when the player logs in. Bets carry its token.</p>
          </EmptyState>
        }
        live={live}
      />
    </section>
  )
}

const TONES = { live: 'good', expired: 'plain', ended: 'wait' } as const

const COLUMNS: readonly ListColumn<SessionRow>[] = [
  { name: 'Started', show: ({ begunAt }) => <Time at={begunAt} /> },
  { name: 'Started by', show: ({ begunBy }) => (begunBy === undefined ? DASH : <SessionActor by={begunBy} />) },
  { name: 'Currency', show: ({ currency }) => currency },
  {
    name: 'Status',
    show: ({ status }) => <Badge tone={TONES[status]}>{status === 'live' ? 'Active' : capital(status)}</Badge>,
  },
  { name: 'Expires', show: ({ expiresAt }) => <Time at={expiresAt} /> },
  { name: 'Ended', show: ({ endedAt }) => (endedAt === undefined ? DASH : <Time at={endedAt} />) },
  { name: 'Reason', show: endReason },
  { name: 'IP address', show: ({ ip, country }) => [ip, country].filter(Boolean).join(' · ') || DASH },
]

function SessionActor({ by: { person, key } }: { by: By }) {
  return <span className="cut">{displayName({ name: person ?? key })}</span>
}

const ENDINGS: Readonly<Record<string, string>> = {
  endSessions: 'all sessions ended by hand',
  switchCurrency: 'the currency was switched',
  changePlayer: 'the currency was removed',
}

function endReason({ status, endedBy }: SessionRow) {
  if (status === 'expired') return 'the session expired'
  if (endedBy === undefined) return DASH
  const { operation, reason } = endedBy
  return (
    <>
      {ENDINGS[operation] ?? operation}, <SessionActor by={endedBy} />
      {reason !== undefined && <small className="muted"> {reason}</small>}
    </>
  )
}
