/** Metrics of the feed: its last number, and the age of the oldest unnumbered row. */

import type { Clock } from '@purser/runtime/clock'
import type { Db, Row } from '../database/db.ts'
import { createDatabaseMetric, formatMetric, type MetricSource } from '../observability/metrics-exposition.ts'
import type { Feed } from './change-feed.ts'
import type { ChangeStore } from './change-store.ts'

interface FeedStateRow extends Row {
  last: bigint
  /** Null: all rows have numbers. */
  oldest: Date | null
}

export function createFeedMetrics(
  db: Pick<Db, 'userQueries'>,
  { state }: ChangeStore,
  feed: Pick<Feed, 'isFollowed'>,
  clock: Clock,
): MetricSource {
  return createDatabaseMetric('feed', async () => {
    const [row] = await db.userQueries.query<FeedStateRow>(state)
    const lag = feed.isFollowed() && row?.oldest ? secondsSince(row.oldest, clock) : 0
    return (
      formatMetric('purser_feed_events_total', 'counter', 'Numbered events of the feed', [[{}, row?.last ?? 0]]) +
      formatMetric('purser_feed_lag_seconds', 'gauge', LAG_HELP, [[{}, lag]])
    )
  })
}

const LAG_HELP = 'Age of the oldest unnumbered event; 0 while no client follows the feed at this process'

/** At least 0, because the clock of the writing process may be ahead. */
export function secondsSince(time: Date, clock: Clock): number {
  return Math.max(0, (clock.now().getTime() - time.getTime()) / 1_000)
}
