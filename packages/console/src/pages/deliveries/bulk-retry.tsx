/**
 * Retries all deliveries that failed for the same cause. A dry run comes first; then the page shows
 * progress and outcomes.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { ApiProblem, callApi, getJson } from '../../app/console-api.ts'
import { Dialog } from '../../shared/controls/dialog.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { ActionError, Badge, QueryResult } from '../../shared/controls/page-states.tsx'
import { type OwedMoney, owedMoney, owedText } from '../../shared/data/owed-money.ts'
import type { Issue } from './delivery-issues.tsx'
import { type DeliveryRow, DeliveryState } from './delivery-row.tsx'

interface RetryPreview {
  readonly count: number
  readonly money: readonly OwedMoney[]
  readonly notTaken: { readonly stillTried: number }
}

interface StartedRetry {
  readonly retryId: string
}

/** The progress of a retry (C-16). */
interface Retry extends StartedRetry {
  readonly chosen: Readonly<Record<string, unknown>>
  readonly state: 'running' | 'finished' | 'cut_short'
  readonly count: number
  readonly taken: number
}

interface RetryProgress extends Retry {
  readonly states: Readonly<Record<string, number>>
  /** The first deliveries of the retry. */
  readonly data: readonly DeliveryRow[]
}

/** The number of retries to search for the new one. */
const LATEST = 20

const toRetryFilter = ({ partnerId, operation, status, code }: Issue) => ({
  ...{ partnerId, operation, status },
  code: code ?? null, // null selects deliveries without a code
})

/**
 * Starts the retry and returns its id. The server starts it before it answers. If the answer is
 * lost, the new entry in the list is this retry.
 */
async function startBulkRetry(issue: Issue, base: string): Promise<StartedRetry> {
  const latest = () => getJson<{ data: Retry[] }>(`${base}/deliveries/retries?limit=${LATEST}`).then(({ data }) => data)
  const before = new Set((await latest()).map(({ retryId }) => retryId))
  try {
    return await callApi<StartedRetry>('POST', `${base}/deliveries/retry`, { ...toRetryFilter(issue), dryRun: false })
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500) throw error
    const begun = (await latest()).find((retry) => !before.has(retry.retryId) && isRetryOf(issue, retry))
    if (begun === undefined) throw error
    return begun
  }
}

function isRetryOf({ partnerId, operation, status, code }: Issue, { chosen }: Retry): boolean {
  const expected: Readonly<Record<string, string>> = { partnerId, operation, status, code: `${code ?? 'none'}` }
  return Object.entries(expected).every(([name, value]) => chosen[name] === value)
}

export function BulkRetry({ issue, base, close }: { issue: Issue; base: string; close(): void }) {
  const chosen = toRetryFilter(issue)
  const dry = useQuery({
    queryKey: ['dry run', chosen],
    queryFn: () => callApi<RetryPreview>('POST', `${base}/deliveries/retry`, { ...chosen, dryRun: true }),
    gcTime: 0,
  })
  const send = useMutation({ mutationFn: () => startBulkRetry(issue, base) })
  const lines = useMemo(() => sortById(issue.deliveries), [issue])
  return (
    <Dialog title="Retry deliveries" close={close}>
      {send.data !== undefined ? (
        <BulkRetryStatus retryId={send.data.retryId} base={base} lines={lines} />
      ) : (
        <QueryResult of={dry}>
          {({ count, money, notTaken }) => (
            <>
              <p>
                <strong>{count}</strong> {count === 1 ? 'delivery' : 'deliveries'} would be retried
                {money.length > 0 && `: ${owedText(money)}`}. Nothing has been sent yet.
              </p>
              <p className="muted">
                A retry sends the same request with the same request ID. A partner that has already processed it returns
                the same response and moves no money.
              </p>
              {notTaken.stillTried > 0 && (
                <p className="muted">{notTaken.stillTried} more are retried automatically.</p>
              )}
              <Lines name="Planned retries" lines={lines} count={count} stateOf={() => WOULD_BE_SENT} />
            </>
          )}
        </QueryResult>
      )}
      {send.error !== null && <ActionError>The retry failed: {send.error.message}.</ActionError>}
      <div className="choices">
        <button type="button" className="button" onClick={close}>
          {send.data === undefined ? 'Cancel' : 'Done'}
        </button>
        {send.data === undefined && (
          <button
            type="button"
            className="button main-one"
            disabled={!dry.data?.count || send.isPending}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Sending…' : `Retry ${dry.data?.count ?? ''}`}
          </button>
        )}
      </div>
    </Dialog>
  )
}

const MAX_FOLLOWED = 100
const POLL_MS = 700

/** The platform's order: ids are numbers of any length. */
function sortById(deliveries: readonly DeliveryRow[]): readonly DeliveryRow[] {
  const byId = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1)
  return deliveries.toSorted((a, b) => byId(a.deliveryId, b.deliveryId)).slice(0, MAX_FOLLOWED)
}

const WOULD_BE_SENT = <Badge tone="plain">Not sent</Badge>

interface LinesProps {
  readonly name: string
  readonly lines: readonly DeliveryRow[]
  /** Includes the deliveries that are not listed. */
  readonly count: number
  stateOf(line: DeliveryRow): ReactNode
}

function Lines({ name, lines, count, stateOf }: LinesProps) {
  return (
    <>
      <ul className="outcomes" aria-label={name}>
        {lines.map((line) => (
          <li key={line.deliveryId}>
            <span className="outcome-what">
              <ShortId id={line.betId} href={`/bets/${encodePathSegment(line.betId)}`} />
              <span className="muted small">
                {operationTitle(line.operation)}: {owedText(owedMoney([line])) || 'no money'}
              </span>
            </span>
            {stateOf(line)}
          </li>
        ))}
      </ul>
      {count > lines.length && <p className="muted small">and {count - lines.length} more</p>}
    </>
  )
}

interface SentProps {
  readonly retryId: string
  readonly base: string
  readonly lines: readonly DeliveryRow[]
}

function BulkRetryStatus({ retryId, base, lines }: SentProps) {
  const result = useQuery({
    queryKey: ['retry', retryId],
    queryFn: ({ signal }) =>
      getJson<RetryProgress>(`${base}/deliveries/retries/${encodePathSegment(retryId)}?limit=${MAX_FOLLOWED}`, signal),
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? POLL_MS : false),
    refetchIntervalInBackground: true, // the user's own retry, not paused with live updates
  })
  return <QueryResult of={result}>{(retry) => <BulkRetryOutcome retry={retry} lines={lines} />}</QueryResult>
}

function BulkRetryOutcome({ retry, lines }: { retry: RetryProgress; lines: readonly DeliveryRow[] }) {
  const now = new Map(retry.data.map((one) => [one.deliveryId, one]))
  const shown = [
    ...lines,
    ...retry.data.filter(({ deliveryId }) => !lines.some((one) => one.deliveryId === deliveryId)),
  ]
  const over = retry.taken - underWay(retry)
  return (
    <>
      <p role="status">
        <strong>
          {retry.taken} of {retry.count}
        </strong>{' '}
        retried{retry.state === 'finished' && retry.taken === retry.count ? '.' : RETRY_NOTES[retry.state]}
      </p>
      <label className="progress">
        <span className="small muted">
          {over} of {retry.count} answered
        </span>
        <progress max={retry.count || 1} value={Math.max(0, over)} />
      </label>
      <Lines
        name="Outcomes"
        lines={shown}
        count={Math.max(retry.count, shown.length)}
        stateOf={({ deliveryId }) => {
          const { status, code } = now.get(deliveryId) ?? {}
          if (status !== undefined) return <DeliveryState status={status} code={code} />
          return retry.state === 'running' ? NOT_YET : LEFT_OUT
        }}
      />
    </>
  )
}

const NOT_YET = <Badge tone="wait">Not sent yet</Badge>
/**
 * Another user retried the delivery first, or the retry was interrupted. The status text shows
 * which.
 */
const LEFT_OUT = <Badge tone="plain">Skipped</Badge>

const RETRY_NOTES: Readonly<Record<Retry['state'], string>> = {
  running: '; the retry is in progress.',
  finished: '. The others were changed in the meantime.',
  cut_short: '. The retry was interrupted; retry the others.',
}

const underWay = ({ states }: RetryProgress) => (states.pending ?? 0) + (states.waiting ?? 0)
const isUnderWay = (retry: RetryProgress) => retry.state === 'running' || underWay(retry) > 0
