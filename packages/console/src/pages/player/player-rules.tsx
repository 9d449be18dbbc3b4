/**
 * Limits and restrictions of a player, each with its time and the user who set it, and the history
 * of changes.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getJson } from '../../app/console-api.ts'
import { displayName } from '../../app/console-session.tsx'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { amountText, countText, Time } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { Badge, DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import { AUDIT_COLUMNS, type AuditEntry, auditEntryKey } from '../../shared/data/audit-log.tsx'
import { PendingChanges, type Protections } from './pending-changes.tsx'
import { MoneyFact } from './player-money.tsx'

export interface PlayerRules extends Protections {
  readonly verified?: boolean
}

/**
 * The newest changes, in which the last change of each rule is searched. The list shows older ones.
 */
const MAX_SCANNED = 200
const SHOWN_LOCKS = 5

export function PlayerRulesCard({ user, of: player, live }: { user: string; of: PlayerRules; live: LiveMeta }) {
  const base = `/operator/players/${encodePathSegment(user)}`
  const result = useQuery({
    queryKey: ['rules of', user],
    queryFn: ({ signal }) => getJson<{ data: AuditEntry[] }>(`${base}/history?limit=${MAX_SCANNED}`, signal),
    meta: live,
  })
  const changes = result.data?.data ?? []
  return (
    <section className="card" aria-label="Limits and restrictions">
      <header>
        <h2>Limits and restrictions</h2>
      </header>
      <PendingChanges base={base} player={player} />
      <Facts of={player} user={user} changes={changes} />
      <PagedList
        path={`${base}/history?limit=10`}
        columns={HISTORY}
        keyOf={auditEntryKey}
        empty={
          <EmptyState title="No changes yet.">
            <p>Changes of blocks, limits, exclusions and locked results appear here, with their user and time.</p>
          </EmptyState>
        }
        live={live}
      />
    </section>
  )
}

/** The target is the player or a bet; the player's id is omitted. */
const HISTORY: readonly ListColumn<AuditEntry>[] = AUDIT_COLUMNS.map((column) =>
  column.name === 'Target'
    ? { ...column, show: ({ on: { userId: _, ...rest } }) => Object.values(rest).join(' · ') || DASH }
    : column,
)

interface Props {
  readonly of: PlayerRules
  readonly user: string
  /** Newest first. */
  readonly changes: readonly AuditEntry[]
}

function Facts({ of: { status, limits = {}, verified, selfExcludedUntil }, user, changes }: Props) {
  const { stake, loss, betCount } = limits
  const perDay = [
    stake !== undefined && `stakes of ${amountText(stake)}`,
    loss !== undefined && `losses of ${amountText(loss)}`,
    betCount !== undefined && countText(betCount, 'bet'),
  ].filter((one) => one !== false)
  const locked = lockedBets(changes)
  const lastOf = (member: string) => changes.find(({ after }) => member in after)
  return (
    <dl className="facts body">
      <Rule name="Account" by={status === 'blocked' ? lastOf('status') : undefined}>
        {status === 'blocked' ? <Badge tone="bad">Blocked</Badge> : 'active'}
      </Rule>
      <Rule name="Daily limits" by={perDay.length === 0 ? undefined : lastOf('limits')}>
        {perDay.length === 0 ? 'no limit' : perDay.join(', ')}
      </Rule>
      <Rule name="Excluded until" by={selfExcludedUntil == null ? undefined : lastOf('selfExcludedUntil')}>
        {typeof selfExcludedUntil === 'string' ? <Time at={selfExcludedUntil} /> : 'not excluded'}
      </Rule>
      <Rule name="Verified" by={verified === undefined ? undefined : lastOf('verified')}>
        {verified === undefined ? 'not provided' : verified ? 'yes' : 'no'}
      </Rule>
      <Rule name="Locked results" by={locked[0]}>
        {locked.length === 0
          ? 'none'
          : locked
              .slice(0, SHOWN_LOCKS)
              .map(({ on: { transactionId = '' } }) => (
                <ShortId
                  key={transactionId}
                  id={transactionId}
                  href={`/bets/${encodePathSegment(user)}/${encodePathSegment(transactionId)}`}
                />
              ))}
        {locked.length > SHOWN_LOCKS && <small className="muted"> and {locked.length - SHOWN_LOCKS} more</small>}
      </Rule>
    </dl>
  )
}

function Rule({ name, by, children }: { name: string; by: AuditEntry | undefined; children: ReactNode }) {
  return (
    <MoneyFact
      name={name}
      note={
        by && (
          <>
            by {displayName({ name: by.person ?? by.key.name })}, <Time at={by.at} />
            {by.reason !== undefined && `: ${by.reason}`}
          </>
        )
      }
    >
      {children}
    </MoneyFact>
  )
}

/** The last change of each bet decides whether it is locked (L-3). */
function lockedBets(changes: readonly AuditEntry[]): AuditEntry[] {
  const last = new Map<string, AuditEntry>()
  for (const change of changes) {
    const { transactionId } = change.on
    if (transactionId !== undefined && 'locked' in change.after && !last.has(transactionId))
      last.set(transactionId, change)
  }
  return [...last.values()].filter(({ after }) => 'locked' in after && after.locked === true)
}
