/** The sessions of a player: who began each, when, until when, and how it ended. */
import { capital, Time } from '../../format.tsx'
import { type Column, List } from '../../list.tsx'
import type { LiveMeta } from '../../live.tsx'
import { Badge, Empty, NONE } from '../../parts.tsx'
import { nameOf } from '../../session.tsx'

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

export function Sessions({ base, live }: { base: string; live: LiveMeta }) {
  return (
    <section className="card" aria-label="Sessions">
      <header>
        <h2>Sessions</h2>
      </header>
      <List<SessionRow>
        path={`${base}/sessions?limit=10`}
        columns={COLUMNS}
        keyOf={({ sessionId }) => sessionId}
        empty={
          <Empty title="No session yet.">
            <p>Your site starts one when the player logs in: its token is what bets come with.</p>
          </Empty>
        }
        live={live}
      />
    </section>
  )
}

const TONES = { live: 'good', expired: 'plain', ended: 'wait' } as const

const COLUMNS: readonly Column<SessionRow>[] = [
  { name: 'Begun', show: ({ begunAt }) => <Time at={begunAt} /> },
  { name: 'By', show: ({ begunBy }) => (begunBy === undefined ? NONE : <Who by={begunBy} />) },
  { name: 'Currency', show: ({ currency }) => currency },
  { name: 'State', show: ({ status }) => <Badge tone={TONES[status]}>{capital(status)}</Badge> },
  { name: 'Good until', show: ({ expiresAt }) => <Time at={expiresAt} /> },
  { name: 'Ended', show: ({ endedAt }) => (endedAt === undefined ? NONE : <Time at={endedAt} />) },
  { name: 'Why', show: why },
  { name: 'From', show: ({ ip, country }) => [ip, country].filter(Boolean).join(' · ') || NONE },
]

function Who({ by: { person, key } }: { by: By }) {
  return <span className="cut">{nameOf({ name: person ?? key })}</span>
}

const ENDINGS: Readonly<Record<string, string>> = {
  endSessions: 'all ended by hand',
  switchCurrency: 'the currency was switched',
  changePlayer: 'the currency was taken away',
}

function why({ status, endedBy }: SessionRow) {
  if (status === 'expired') return 'its time was over'
  if (endedBy === undefined) return NONE
  const { operation, reason } = endedBy
  return (
    <>
      {ENDINGS[operation] ?? operation}, <Who by={endedBy} />
      {reason !== undefined && <small className="muted"> {reason}</small>}
    </>
  )
}
