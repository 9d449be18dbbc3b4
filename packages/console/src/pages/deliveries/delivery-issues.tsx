/**
 * Deliveries (calls to a partner) that need attention, by partner and cause. Each group shows its
 * money and the next step.
 */

import { replyCodes } from '@purser/protocol/reply-codes'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getJson } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import { Time } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { Badge, DASH, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import { owedMoney, owedText, owedTextOfBet } from '../../shared/data/owed-money.ts'
import { formatSince } from '../../shared/data/partners.tsx'
import { BulkRetry } from './bulk-retry.tsx'
import { DELIVERY_LIVE, type DeliveryRow, partnerQuery, TotalRow } from './delivery-row.tsx'
import { TroubledPartners } from './partner-filter.tsx'

/** The API's maximum per page. */
const MAX_LISTED = 500
const POLL_MS = 3_000

/** Newest first. The Overview page caches the same answer under the same key. */
export const issuesPath = (base: string, partner = '') =>
  `${base}/deliveries?needsAttention=true&selections=true&outstanding=true&limit=${MAX_LISTED}${partnerQuery(partner)}`

export interface Issue {
  readonly partnerId: string
  readonly operation: string
  readonly status: string
  readonly code: number | undefined
  /** Newest first. */
  readonly deliveries: readonly DeliveryRow[]
}

export function Issues({ base, partner }: { base: string; partner: string }) {
  // The issue stays here while the dialog is open, because retried deliveries leave the list.
  const [sending, setSending] = useState<Issue>()
  const result = useQuery({
    queryKey: partner === '' ? ['issues'] : ['issues', partner],
    queryFn: ({ signal }) => getJson<{ data: DeliveryRow[]; next: string | null }>(issuesPath(base, partner), signal),
    meta: DELIVERY_LIVE,
    refetchInterval: POLL_MS,
  })
  return (
    <>
      {sending !== undefined && <BulkRetry issue={sending} base={base} close={() => setSending(undefined)} />}
      <QueryResult of={result}>
        {({ data, next }) =>
          data.length === 0 ? (
            <section className="card">
              <EmptyState
                title={partner === '' ? 'No delivery needs attention.' : `No delivery to ${partner} needs attention.`}
              >
                <TroubledPartners base={base} partner={partner} />
                <p>
                  This list shows deliveries that a partner rejected or did not answer, until they are acknowledged.
                </p>
              </EmptyState>
            </section>
          ) : (
            <>
              {next !== null && (
                <p className="notice">This list shows the newest {MAX_LISTED} deliveries; there are more.</p>
              )}
              {groupIssues(data).map((issue) => (
                <IssueCard key={causeKey(issue)} issue={issue} send={() => setSending(issue)} />
              ))}
            </>
          )
        }
      </QueryResult>
    </>
  )
}

type Cause = Pick<Issue, 'partnerId' | 'operation' | 'status' | 'code'>
const causeKey = ({ partnerId, operation, status, code }: Cause) => JSON.stringify([partnerId, operation, status, code])

export function groupIssues(deliveries: readonly DeliveryRow[]): Issue[] {
  const byCause = new Map<string, DeliveryRow[]>()
  for (const one of deliveries) {
    const key = causeKey({ ...one, code: one.code })
    byCause.set(key, [...(byCause.get(key) ?? []), one])
  }
  return [...byCause.values()].flatMap((some) => {
    const [first] = some
    return first === undefined ? [] : [{ ...first, code: first.code, deliveries: some }]
  })
}

function IssueCard({ issue, send }: { issue: Issue; send(): void }) {
  const { person } = useSession()
  const { partnerId, operation, status, code, deliveries } = issue
  const since = deliveries.map(({ needsAttentionSince, decidedAt }) => needsAttentionSince ?? decidedAt).sort()[0] ?? ''
  const [name, tone, words] = STATUS_TEXTS[status] ?? [status, 'bad', '']
  const isUnanswered = status === 'pending' && code === undefined
  const explanation = isRollbackHeldUp(issue) ? ROLLBACK_HELD_UP : isUnanswered ? UNANSWERED : words
  return (
    <section className="card issue half" aria-label={`${operationTitle(operation)} ${name}`}>
      <header>
        <span className="issue-count">{deliveries.length}</span>
        <div className="issue-says">
          <h2>
            {operationTitle(operation)} to {partnerId}
            <Badge tone={tone}>{code === undefined ? name : `${name} · ${describeReplyCode(code)}`}</Badge>
          </h2>
          <p className="muted">
            {explanation} {deliveries[0]?.error && <>Response: “{deliveries[0].error}”.</>}
          </p>
          <p className="muted small">The oldest has had this status {formatSince(since)}.</p>
        </div>
        <Money of={deliveries} />
        {status !== 'pending' && (
          <button
            type="button"
            className="button"
            disabled={!hasRole(person, 'support')}
            title={hasRole(person, 'support') ? undefined : 'This requires the role Support.'}
            onClick={send}
          >
            Retry {deliveries.length}…
          </button>
        )}
      </header>
      <IssueRows deliveries={deliveries} />
    </section>
  )
}

const STATUS_TEXTS: Readonly<Record<string, readonly [string, string, string]>> = {
  stuck: [
    'exhausted',
    'bad',
    'No attempt got a valid response, so the partner may have processed it. A retry is safe.',
  ],
  refused: ['rejected', 'bad', 'The partner rejected the delivery. Fix the cause, then retry.'],
  pending: [
    'retrying',
    'wait',
    'The partner returned an error that is not about the bet, such as a bad signature. Retries continue automatically.',
  ],
}
/** The delivery is retrying, and its last response had no code (W-48). */
const UNANSWERED =
  'No attempt got a valid response, so the partner may have processed it. Retries continue automatically.'

/** Codes with which a partner rejects a result (C-5). */
const NO_TO_A_RESULT = replyCodes('invalid_request', 'recalculation_blocked', 'recalculation_negative')

/** The Rollback waits for the rejected Unsettle (W-46). */
const isRollbackHeldUp = ({ operation, status, code }: Issue) =>
  operation === 'unsettle' && status === 'stuck' && NO_TO_A_RESULT.includes(code ?? 0)
const ROLLBACK_HELD_UP =
  'The partner rejected the delivery, and the Rollback of the bet waits for it. Fix the cause, then retry.'

function Money({ of }: { of: readonly DeliveryRow[] }) {
  return (
    <div className="issue-money num">
      {owedMoney(of).map((money) => (
        <strong key={money.currency}>{owedText([money])}</strong>
      ))}
    </div>
  )
}

const SHOWN = 20

function IssueRows({ deliveries }: { deliveries: readonly DeliveryRow[] }) {
  const rest = deliveries.slice(SHOWN)
  return (
    <div className="scroll">
      <table className="list">
        <thead>
          <tr>
            <th>Since</th>
            <th>Bet</th>
            <th>Match</th>
            <th className="num">Attempts</th>
            <th className="num">Outstanding amount</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.slice(0, SHOWN).map(({ deliveryId, betId, attempts, needsAttentionSince, decidedAt, ...one }) => (
            <tr key={deliveryId}>
              <td>
                <Time at={needsAttentionSince ?? decidedAt} />
              </td>
              <td>
                <ShortId id={betId} href={`/bets/${encodePathSegment(betId)}`} />
              </td>
              <td>
                <SelectionSummary of={one} />
              </td>
              <td className="num">{attempts}</td>
              <td className="num">
                <span className="why-not">
                  {owedTextOfBet(one) || DASH}
                  {one.isStakeUnknown && <small className="muted">if the stake was debited</small>}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {rest.length > 0 && (
            <tr>
              <td colSpan={4} className="muted">
                <span className="foot-name">and {rest.length} more</span>
              </td>
              <td className="num">{owedText(owedMoney(rest))}</td>
            </tr>
          )}
          {deliveries.length > 1 && <TotalRow money={owedMoney(deliveries)} columns={5} />}
        </tfoot>
      </table>
    </div>
  )
}
