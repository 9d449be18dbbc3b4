/** The items that need attention, five at most, each with its next step. */

import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { getJson } from '../../app/console-api.ts'
import { useSession } from '../../app/console-session.tsx'
import { countText, moneyText } from '../../shared/charts/format.tsx'
import { Badge, EmptyState, ErrorMessage, LoadingSkeleton, StaleNotice } from '../../shared/controls/page-states.tsx'
import { useLinkKeys } from '../../shared/controls/paged-list.tsx'
import { owedMoney } from '../../shared/data/owed-money.ts'
import {
  findPartnerTrouble,
  formatSince,
  needsAttentionLink,
  OwedSums,
  type Partner,
  retryingLink,
} from '../../shared/data/partners.tsx'
import { groupIssues, issuesPath } from '../deliveries/delivery-issues.tsx'
import type { DeliveryRow } from '../deliveries/delivery-row.tsx'
import { OVERVIEW_LIVE, OVERVIEW_POLL_MS } from './overview-data.ts'

interface AttentionItem {
  readonly key: string
  readonly what: ReactNode
  readonly badge: readonly [tone: string, word: string]
  readonly since: string
  readonly step: string
  readonly href: string
}

interface Proposal {
  readonly userId: string
  readonly reference: string
  readonly amount: string
  readonly currency: string
  readonly proposedAt: string
}

const MAX_SHOWN = 5

/** `partners` is disabled without a platform. */
export function NeedsAttention({
  partners,
}: {
  partners: Pick<UseQueryResult<{ data: readonly Partner[] }>, QueryFields>
}) {
  const { bases } = useSession()
  const issues = useQuery({
    queryKey: ['issues'],
    queryFn: ({ signal }) =>
      getJson<{ data: DeliveryRow[]; next: string | null }>(issuesPath(bases.platform ?? ''), signal),
    enabled: bases.platform !== undefined,
    meta: OVERVIEW_LIVE,
    refetchInterval: OVERVIEW_POLL_MS,
  })
  const adjustments = useQuery({
    queryKey: ['now', 'adjustments'],
    queryFn: ({ signal }) => getJson<{ data: Proposal[] }>('/operator/adjustments?status=pending&limit=100', signal),
    enabled: bases.wallet,
    refetchInterval: OVERVIEW_POLL_MS,
  })
  const needs = [
    ...listPartnerItems(partners.data?.data ?? []),
    ...listIssueItems(issues.data?.data ?? []),
    ...listAdjustmentItems(adjustments.data?.data ?? []),
  ]
  const shown = needs.slice(0, MAX_SHOWN)
  const at = useLinkKeys(shown.length, (i) => shown[i]?.href)
  const isKnown =
    (!issues.isEnabled || (issues.data !== undefined && partners.data !== undefined)) &&
    (!adjustments.isEnabled || adjustments.data !== undefined)
  return (
    <section className="card" aria-label="Needs attention">
      <header>
        <h2>Needs attention</h2>
      </header>
      {[issues, adjustments, partners].map((query, i) => (
        <QueryNotice key={['issues', 'adjustments', 'partners'][i]} of={query} />
      ))}
      {!isKnown && [issues, adjustments, partners].every(({ error }) => error === null) && <LoadingSkeleton />}
      {isKnown && shown.length === 0 && (
        <EmptyState title="Nothing needs attention.">
          <p>
            This list shows rejected deliveries, partners that are down, overdue money, and adjustments pending
            approval.
          </p>
        </EmptyState>
      )}
      <ol className="needs">
        {shown.map((need, i) => (
          <li key={need.key} className={i === at ? 'at' : undefined}>
            <span className="need-what">
              <Badge tone={need.badge[0]}>{need.badge[1]}</Badge> {need.what}
            </span>
            <span className="need-step">
              <span className="muted small num">{formatSince(need.since)}</span>
              <Link href={need.href} className="button">
                {need.step}
              </Link>
            </span>
          </li>
        ))}
      </ol>
      {needs.length > MAX_SHOWN && (
        <p className="more muted small">and {needs.length - MAX_SHOWN} more, in Deliveries and Finance</p>
      )}
    </section>
  )
}

type QueryFields = 'data' | 'error' | 'dataUpdatedAt' | 'refetch'

/** A query without an answer, or with an outdated one. */
function QueryNotice({ of }: { of: Pick<UseQueryResult, QueryFields> }) {
  if (of.error !== null && of.data === undefined) return <ErrorMessage error={of.error} again={() => of.refetch()} />
  return <StaleNotice of={of} />
}

function listPartnerItems(partners: readonly Partner[]): AttentionItem[] {
  return partners.flatMap((partner) => {
    const trouble = findPartnerTrouble(partner)
    if (trouble === undefined) return []
    const isDown = trouble.kind === 'down'
    return {
      key: `partner ${partner.partnerId}`,
      what: isDown ? <DownText of={partner} /> : <SlowText of={partner} />,
      badge: isDown ? ['bad', 'Down'] : ['wait', 'Overdue'],
      since: trouble.since ?? new Date().toISOString(),
      step: 'View',
      href: retryingLink(partner.partnerId),
    }
  })
}

function DownText({ of: { partnerId, waiting, inProgress } }: { of: Partner }) {
  return (
    <>
      <strong>{partnerId}</strong> returns no valid responses;{' '}
      {waiting === 0
        ? 'no delivery is retrying'
        : countText(waiting, 'delivery is retrying', 'deliveries are retrying')}
      {inProgress.length > 0 && (
        <>
          {' '}
          · <OwedSums of={inProgress} />
        </>
      )}
    </>
  )
}

function SlowText({ of: { partnerId, inProgress } }: { of: Partner }) {
  return (
    <>
      <OwedSums of={inProgress} /> by <strong>{partnerId}</strong>, not acknowledged yet
    </>
  )
}

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  stuck: ['bad', 'Exhausted'],
  refused: ['bad', 'Rejected'],
  pending: ['wait', 'Retrying'],
}

function listIssueItems(deliveries: readonly DeliveryRow[]): AttentionItem[] {
  return groupIssues(deliveries).map(({ partnerId, operation, status, code, deliveries: some }) => ({
    key: JSON.stringify([partnerId, operation, status, code]),
    what: (
      <>
        {some.length} × {operationTitle(operation)} to <strong>{partnerId}</strong>
        {code === undefined ? '' : `, ${describeReplyCode(code)}`} · <OwedSums of={owedMoney(some)} />
      </>
    ),
    badge: WORDS[status] ?? ['bad', status],
    since: some.map((one) => one.needsAttentionSince ?? one.decidedAt).sort()[0] ?? '',
    step: status === 'pending' ? 'Review' : 'Fix and retry',
    href: needsAttentionLink(partnerId),
  }))
}

function listAdjustmentItems(proposals: readonly Proposal[]): AttentionItem[] {
  return proposals.map(({ userId, reference, amount, currency, proposedAt }) => ({
    key: `adjustment ${userId} ${reference}`,
    what: (
      <>
        <span className="num">{moneyText(amount, currency)}</span> for <strong>{userId}</strong> is pending approval
      </>
    ),
    badge: ['wait', 'Adjustment'],
    since: proposedAt,
    step: 'Approve or reject',
    href: '/money',
  }))
}
