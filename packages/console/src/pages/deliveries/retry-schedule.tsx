/**
 * Retry schedule: a line for each delivery that is retried or stuck, over the six minutes of a
 * Rollback (C-4).
 *
 * All times are the platform's. The current time is the time in the platform's last answer, plus
 * the time elapsed in the browser since.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getJson } from '../../app/console-api.ts'
import { countText } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import { DELIVERY_LIVE, type DeliveryRow, partnerQuery } from './delivery-row.tsx'

interface RetrySchedule {
  readonly madeAt: readonly string[]
  readonly plannedAt: readonly string[]
  readonly isUnderWay: boolean
  readonly asOf: string
}

type RetriedDelivery = DeliveryRow & { readonly schedule: RetrySchedule }

const AXIS_MS = 360_000
const MINUTES = [0, 1, 2, 3, 4, 5, 6]
const MAX_SCANNED = 100
const SHOWN = 20
/** Intervals of polls, and of moves of the current-time mark. */
const POLL_MS = 3_000
const STEP_MS = 500

export function RetrySchedules({ base, partner }: { base: string; partner: string }) {
  const result = useQuery({
    queryKey: ['ladders', partner],
    queryFn: async ({ signal }) => {
      const path = `${base}/deliveries?status=pending,stuck&schedule=true&selections=true&limit=${MAX_SCANNED}${partnerQuery(partner)}`
      const { data } = await getJson<{ data: (DeliveryRow & { schedule?: RetrySchedule })[] }>(path, signal)
      const retried = data.filter((one): one is RetriedDelivery => isRetried(one))
      return { tried: retried, readAt: performance.now() }
    },
    meta: DELIVERY_LIVE,
    refetchInterval: POLL_MS,
  })
  const elapsed = useElapsed(result.data?.readAt)
  const { tried: retried = [] } = result.data ?? {}
  if (retried.length === 0) return null
  return (
    <section className="card" aria-label="Retry schedule">
      <header>
        <h2>Retry schedule</h2>
        <span className="muted small">Minutes since the first attempt of each delivery.</span>
        <span className="spring" />
        <span className="schedule-key small muted">
          <i className="dot made" /> attempt <i className="dot planned" /> planned <i className="gave-up">✕</i>{' '}
          exhausted <i className="now-mark" /> now
        </span>
      </header>
      <ol className="ladders">
        <li className="schedule schedule-axis" aria-hidden="true">
          <span />
          <span className="schedule-line">
            {MINUTES.map((minute) => (
              <span key={minute} className="schedule-minute small muted" style={{ left: axisOffset(minute * 60_000) }}>
                {minute} min
              </span>
            ))}
          </span>
          <span />
        </li>
        {retried.slice(0, SHOWN).map((one) => (
          <Line key={one.deliveryId} of={one} passed={elapsed} />
        ))}
      </ol>
      {retried.length > SHOWN && <p className="more muted small">and {retried.length - SHOWN} more</p>}
    </section>
  )
}

/** A first attempt in progress is not a retry. */
function isRetried({ schedule, status }: DeliveryRow & { schedule?: RetrySchedule }): boolean {
  return schedule !== undefined && (status === 'stuck' || schedule.madeAt.length > 0)
}

function useElapsed(since: number | undefined): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, now - (since ?? now))
}

const axisOffset = (ms: number) => `${(Math.min(Math.max(ms, 0), AXIS_MS) / AXIS_MS) * 100}%`

function Line({ of, passed: elapsed }: { of: RetriedDelivery; passed: number }) {
  const { betId, operation, partnerId, status, attempts, schedule } = of
  const first = Date.parse(schedule.madeAt[0] ?? schedule.asOf)
  const since = (at: string) => Date.parse(at) - first
  const now = since(schedule.asOf) + elapsed
  const planned = schedule.plannedAt.map(since)
  const isStuck = status === 'stuck'
  const shown = planned.filter((at) => at <= AXIS_MS)
  const tries = countText(attempts, 'attempt', 'attempts')
  return (
    <li className="schedule">
      <span className="schedule-what">
        <ShortId id={betId} href={`/bets/${encodePathSegment(betId)}`} />
        <span className="small muted cut">
          {operationTitle(operation)} to {partnerId}
        </span>
        <SelectionSummary of={of} />
      </span>
      <span
        className="schedule-line"
        role="img"
        aria-label={`${tries}, ${isStuck ? 'exhausted' : `${shown.length} planned`}`}
      >
        {schedule.madeAt.map((at) => (
          <i key={at} className="dot made" style={{ left: axisOffset(since(at)) }} title={`attempted at ${at}`} />
        ))}
        {shown.map((at, i) => (
          <i
            key={schedule.plannedAt[i]}
            className="dot planned"
            style={{ left: axisOffset(at) }}
            title={`planned for ${schedule.plannedAt[i]}`}
          />
        ))}
        {isStuck && (
          <i className="gave-up" style={{ left: axisOffset(since(schedule.madeAt.at(-1) ?? schedule.asOf)) }}>
            ✕
          </i>
        )}
        {!isStuck && now <= AXIS_MS && <i className="schedule-now" style={{ left: axisOffset(now) }} />}
      </span>
      <span className="schedule-next small">
        {isStuck ? <Badge tone="bad">Exhausted</Badge> : <Next schedule={schedule} first={first} now={now} />}
        <span className="muted">{tries}</span>
      </span>
    </li>
  )
}

/** `now` is milliseconds since `first`, the start of the first attempt. */
function Next({
  schedule: { isUnderWay, plannedAt },
  first,
  now,
}: {
  schedule: RetrySchedule
  first: number
  now: number
}) {
  const [at] = plannedAt
  if (isUnderWay || at === undefined) return <span>in progress</span>
  const seconds = Math.round((Date.parse(at) - first - now) / 1_000)
  return <span title={at}>{seconds <= 0 ? 'due now' : `next in ${inWords(seconds)}`}</span>
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
