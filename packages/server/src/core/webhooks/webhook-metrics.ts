/**
 * Metrics of the events that each webhook has not acknowledged. A wallet has few webhooks, so their
 * ids are labels.
 */

import type { Clock } from '@purser/runtime/clock'
import { MAX_EVENTS_PER_CHANGE } from '../change-feed/change-store.ts'
import { secondsSince } from '../change-feed/feed-metrics.ts'
import { type Db, type Row, statement } from '../database/db.ts'
import {
  createDatabaseMetric,
  formatMetric,
  type MetricSource,
  type Sample,
} from '../observability/metrics-exposition.ts'

interface BacklogRow extends Row {
  webhook_id: string
  backlog: bigint
  /** The time of the first unacknowledged event; null: all are acknowledged. */
  oldest: Date | null
}

const READ_BACKLOG = statement(
  'webhooks_behind',
  `select webhook_id, greatest(n.last_number - w.acknowledged_to, 0) as backlog,
     (select at from purser.change where last_number > w.acknowledged_to order by last_number limit 1) as oldest
   from purser.webhook w cross join purser.feed_counter n where w.state = 'active' order by webhook_id`,
  // The next row is within this range, because a row has at most this number of events.
  `with w as materialized (
     select webhook_id, acknowledged_to, greatest(n.last_number - acknowledged_to, 0) as backlog
     from purser.webhook cross join purser.feed_counter n where state = 'active'
   ), next as materialized (
     select w.webhook_id, min(c.at) as oldest from w
     join purser.change c on c.last_number > w.acknowledged_to and c.last_number <= w.acknowledged_to + ${MAX_EVENTS_PER_CHANGE} group by w.webhook_id
   ) select w.webhook_id, w.backlog, next.oldest from w left join next on next.webhook_id = w.webhook_id order by w.webhook_id`,
)

export function createWebhookMetrics(db: Pick<Db, 'userQueries'>, clock: Clock): MetricSource {
  return createDatabaseMetric('webhooks', async () => {
    const rows = await db.userQueries.query<BacklogRow>(READ_BACKLOG)
    const samples = (of: (row: BacklogRow) => number | bigint): Sample[] =>
      rows.map((row) => [{ webhook: row.webhook_id }, of(row)])
    const lags = samples(({ oldest }) => (oldest === null ? 0 : secondsSince(oldest, clock)))
    return (
      formatMetric(
        'wallet_webhook_backlog_events',
        'gauge',
        BACKLOG_HELP,
        samples(({ backlog }) => backlog),
      ) + formatMetric('wallet_webhook_lag_seconds', 'gauge', LAG_HELP, lags)
    )
  })
}

const BACKLOG_HELP = 'Events that the consumer of a webhook has not acknowledged, with events that it did not request'
const LAG_HELP = 'Age of the oldest event that the consumer of a webhook has not acknowledged'
