/**
 * Schedule of a delivery: the attempts that were made since the first one, and the planned attempts
 * (C-4, C-5).
 */

import type { Clock } from '@purser/runtime/clock'
import { Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { planAttempts, ROLLBACK_WINDOW_MS } from '../../delivery/retry-backoff.ts'
import type { DeliveryKind } from '../../store/outbox.ts'
import type { ViewDeps } from '../platform-views.ts'

const time = Type.String({ format: 'date-time' })
const times = (description: string) => Type.Array(time, { description })

export const AttemptScheduleSchema = Type.Object(
  {
    madeAt: times(
      'The start times of the attempts of the first six minutes, with the first attempt, and of the last attempt.',
    ),
    plannedAt: times(
      'The planned times of the next attempts, if each fails: the times in the first six minutes, and at least one for a result.',
    ),
    isUnderWay: Type.Boolean({ description: 'True while the last attempt has no answer yet.' }),
    asOf: { ...time, description: "The platform's time of this response." },
  },
  {
    description:
      'The attempts since the delivery was first sent or last retried by hand. It is absent before the first attempt.',
  },
)

/** Maximum number of attempts that are read; the first six minutes have fewer. */
const MAX_MADE = 40
const READ_ATTEMPT_SCHEDULES = statement(
  'platform_read_ladders',
  `select d.delivery_id, d.operation, d.status, d.is_claimed, d.attempts - d.attempts_before as attempts, d.first_attempt_at,
     case when d.status = 'pending' and not d.is_claimed then nullif(d.due_at, 'infinity') end as due_at,
     array(
       select a.started_at from platform.attempt a
       where a.delivery_id = d.delivery_id and a.number > d.attempts_before and a.number <= d.attempts
         and (a.number = d.attempts or a.started_at <= d.first_attempt_at + $2::int * interval '1 millisecond')
       order by a.number limit ${MAX_MADE}
     ) as made_at
   from platform.delivery d
   where d.delivery_id = any($1::bigint[]) and d.operation <> 'place' and d.first_attempt_at is not null`,
)

interface AttemptScheduleRow extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly operation: DeliveryKind
  readonly status: string
  readonly is_claimed: boolean
  readonly attempts: number
  readonly first_attempt_at: Date
  readonly due_at: Date | null
  readonly made_at: readonly Date[]
}

/** Adds the schedule to each delivery with an attempt. */
export async function withAttemptSchedules<P extends { readonly data: readonly { readonly deliveryId: string }[] }>(
  { db, clock }: ViewDeps & { readonly clock: Clock },
  page: P,
) {
  const ids = page.data.map(({ deliveryId }) => deliveryId)
  const rows = await db.userQueries.query<AttemptScheduleRow>(READ_ATTEMPT_SCHEDULES, [ids, ROLLBACK_WINDOW_MS])
  const now = clock.now()
  const schedules = new Map(rows.map((row) => [String(row.delivery_id), toAttemptSchedule(row, now)]))
  const data = page.data.map((delivery) => {
    const schedule = schedules.get(delivery.deliveryId)
    return { ...delivery, ...(schedule && { schedule: schedule }) }
  })
  return { ...page, data }
}

function toAttemptSchedule(
  { operation, status, attempts, first_attempt_at: first, due_at, made_at, ...row }: AttemptScheduleRow,
  now: Date,
) {
  const isUnderWay = status === 'pending' && row.is_claimed
  const since = (at: Date) => at.getTime() - first.getTime()
  const known = {
    attempts,
    lastAt: since(isUnderWay ? now : (made_at.at(-1) ?? first)),
    dueAt: due_at === null ? undefined : since(due_at),
    now: since(now),
  }
  const ahead = status === 'pending' ? planAttempts(operation, known) : []
  return {
    madeAt: made_at.map((at) => at.toISOString()),
    plannedAt: ahead.map((at) => new Date(first.getTime() + at).toISOString()),
    isUnderWay,
    asOf: now.toISOString(),
  }
}
