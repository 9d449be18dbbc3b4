/** How far the consumer of each webhook is behind. An operator makes few of them, so their ids are labels. */
import { type Db, type Row, statement } from '../../db/db.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Measured, metricText, type Sample, toldByDatabase } from '../../runtime/metric-text.ts'
import { secondsSince } from '../metrics.ts'

interface Behind extends Row {
  webhook_id: string
  backlog: bigint
  /** When the first event behind the last acknowledged one was; null when all are acknowledged. */
  oldest: Date | null
}

const BEHIND = statement(
  'webhooks_behind',
  `select webhook_id, greatest(n.last_number - w.done_to, 0) as backlog,
     (select at from purser.change where last_number > w.done_to order by last_number limit 1) as oldest
   from purser.webhook w cross join purser.change_count n where w.state = 'active' order by webhook_id`,
)

export function createWebhookMetrics(db: Pick<Db, 'people'>, clock: Clock): Measured {
  return toldByDatabase('webhooks', async () => {
    const rows = await db.people.query<Behind>(BEHIND)
    const samples = (of: (row: Behind) => number | bigint): Sample[] =>
      rows.map((row) => [{ webhook: row.webhook_id }, of(row)])
    const lags = samples(({ oldest }) => (oldest === null ? 0 : secondsSince(oldest, clock)))
    return (
      metricText(
        'wallet_webhook_backlog_events',
        'gauge',
        BACKLOG,
        samples(({ backlog }) => backlog),
      ) + metricText('wallet_webhook_lag_seconds', 'gauge', LAG, lags)
    )
  })
}

const BACKLOG =
  'Events that the consumer of a webhook has not acknowledged; those that it does not ask for are among them'
const LAG = 'Age of the oldest event that the consumer of a webhook has not acknowledged'
