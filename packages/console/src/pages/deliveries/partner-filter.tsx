/**
 * Filter of the deliveries by partner, and the player money that the partner has not acknowledged.
 * The page address contains the filter.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { getJson } from '../../app/console-api.ts'
import { countText } from '../../shared/charts/format.tsx'
import { StaleNotice } from '../../shared/controls/page-states.tsx'
import type { OwedMoney } from '../../shared/data/owed-money.ts'
import {
  findPartnerTrouble,
  formatSince,
  needsAttentionLink,
  OwedSums,
  type Partner,
  PartnerBadge,
  retryingLink,
} from '../../shared/data/partners.tsx'
import { DELIVERY_LIVE } from './delivery-row.tsx'

/** The API's maximum per page. */
const MAX_LISTED = 500
const POLL_MS = 3_000

function usePartners(base: string) {
  return useQuery({
    queryKey: ['partners', base],
    queryFn: ({ signal }) =>
      getJson<{ data: Partner[]; next: string | null }>(`${base}/partners?limit=${MAX_LISTED}`, signal),
    meta: DELIVERY_LIVE,
    refetchInterval: POLL_MS,
  })
}

interface Choice {
  readonly base: string
  /** Empty for all partners. */
  readonly partner: string
  choose(partner: string): void
}

/**
 * The filter is also shown for a single partner and for an empty list, so that users see whether a
 * partner exists.
 */
export function PartnerChoice({ base, partner, choose }: Choice) {
  const { data } = usePartners(base)
  const ids = new Set([...(data?.data.map(({ partnerId }) => partnerId) ?? []), ...(partner === '' ? [] : [partner])])
  if (ids.size === 0) return null
  return (
    <label className="field partner-choice">
      <span className="vh">Partner</span>
      <select value={partner} onChange={({ target }) => choose(target.value)}>
        <option value="">All partners</option>
        {[...ids].sort().map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      {typeof data?.next === 'string' && (
        <span className="small">the first {MAX_LISTED}; for another partner, add ?partner=ID to the address</span>
      )}
    </label>
  )
}

/** The platform's sums, which do not depend on the length of the list. */
export function PartnerOwed({ base, partner }: Omit<Choice, 'choose'>) {
  const result = usePartners(base)
  const found = result.data?.data.find(({ partnerId }) => partnerId === partner)
  if (result.data === undefined) return null
  if (found === undefined)
    return result.data.next === null ? <p className="notice">No partner with ID “{partner}”.</p> : null
  const count = found.owed.reduce((sum, { deliveries }) => sum + deliveries, 0)
  return (
    <>
      <StaleNotice of={result} />
      <div className="partner-owed" role="status">
        <p>
          <strong>{partner}</strong> <PartnerBadge of={found} />
          {found.state !== 'up' && found.lastError !== undefined && (
            <span className="muted"> Last call: {found.lastError.error}.</span>
          )}
        </p>
        <Line
          name="Needs attention"
          href={needsAttentionLink(partner)}
          money={found.owed}
          count={count}
          description={countText(count, 'delivery', 'deliveries')}
          means="must be resolved by hand"
        />
        <Line
          name="Retrying"
          href={retryingLink(partner)}
          money={found.inProgress}
          count={found.waiting}
          description={countText(found.waiting, 'delivery is', 'deliveries are')}
          means="retried automatically"
        />
      </div>
    </>
  )
}

interface LineProps {
  readonly name: string
  readonly href: string
  readonly money: readonly OwedMoney[]
  readonly count: number
  readonly description: string
  readonly means: string
}

function Line({ name, href, money, count, description, means }: LineProps) {
  return (
    <p>
      <Link href={href}>{name}</Link>:{' '}
      {money.length > 0 && (
        <>
          <strong>
            <OwedSums of={money} />
          </strong>
          ,{' '}
        </>
      )}
      <span className="muted">{count === 0 ? 'none' : `${description} ${means}`}</span>
    </p>
  )
}

/**
 * An empty list shows the partners in trouble, because a partner can need attention before its
 * deliveries do.
 */
export function TroubledPartners({ base, partner }: Omit<Choice, 'choose'>) {
  const { data } = usePartners(base)
  const troubled = (data?.data ?? []).filter(
    (one) => (partner === '' || one.partnerId === partner) && findPartnerTrouble(one) !== undefined,
  )
  return troubled.map((one) => {
    const { kind, since } = findPartnerTrouble(one) ?? {}
    return (
      <p key={one.partnerId}>
        <strong>{one.partnerId}</strong> {kind === 'down' ? 'is down' : 'has overdue deliveries'}
        {since === undefined ? '' : ` ${formatSince(since)}`}:{' '}
        <Link href={retryingLink(one.partnerId)}>
          {countText(one.waiting, 'delivery is retrying', 'deliveries are retrying')}
        </Link>
      </p>
    )
  })
}
