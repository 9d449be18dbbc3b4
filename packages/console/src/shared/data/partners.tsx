/**
 * State of a partner. Two problems are shown: the partner is down, or money has been outstanding
 * for long.
 */
import { Fragment } from 'react'
import { encodeQueryPart } from '../../app/console-api.ts'
import { formatAgo } from '../charts/format.tsx'
import { Badge } from '../controls/page-states.tsx'
import { type OwedMoney, owedParts } from './owed-money.ts'

type Sum = OwedMoney & { readonly deliveries: number }

export interface Partner {
  readonly partnerId: string
  readonly state: 'up' | 'down' | 'probing'
  readonly since?: string
  readonly lastError?: { readonly at: string; readonly error: string }
  readonly waiting: number
  readonly owed: readonly Sum[]
  /** `since`: the decision time of the oldest. */
  readonly inProgress: readonly (Sum & { readonly since: string })[]
}

/**
 * Money that is outstanding for longer is a problem. A call is answered in seconds, and its first
 * retries end within a minute.
 */
const LONG_MS = 60_000

export interface PartnerTrouble {
  readonly kind: 'down' | 'slow'
  readonly since: string | undefined
}

/** Undefined if the partner answers and nothing is overdue. */
export function findPartnerTrouble({ state, since, inProgress }: Partner): PartnerTrouble | undefined {
  if (state !== 'up') return { kind: 'down', since }
  const [oldest] = inProgress.map((sum) => sum.since).sort()
  return oldest !== undefined && Date.now() - Date.parse(oldest) >= LONG_MS
    ? { kind: 'slow', since: oldest }
    : undefined
}

export const formatSince = (at: string) => `for ${formatAgo(new Date(at)).replace(' ago', '')}`

export const needsAttentionLink = (partnerId: string) => `/deliveries?partner=${encodeQueryPart(partnerId)}`

/** Without `partnerId` the link includes every partner. */
export const retryingLink = (partnerId?: string) =>
  `/deliveries?view=${encodeQueryPart('pending,waiting')}${partnerId === undefined ? '' : `&partner=${encodeQueryPart(partnerId)}`}`

export function PartnerBadge({ of }: { of: Partner }) {
  const trouble = findPartnerTrouble(of)
  if (trouble === undefined) return null
  return (
    <Badge tone={trouble.kind === 'down' ? 'bad' : 'wait'}>
      {trouble.kind === 'down' ? 'Down' : 'Overdue'}
      {trouble.since === undefined ? '' : ` ${formatSince(trouble.since)}`}
    </Badge>
  )
}

/** A line may break between two sums but not within one. */
export function OwedSums({ of }: { of: readonly OwedMoney[] }) {
  return owedParts(of).map((text, i) => (
    <Fragment key={text}>
      {i > 0 && ', '}
      <span className="num">{text}</span>
    </Fragment>
  ))
}
