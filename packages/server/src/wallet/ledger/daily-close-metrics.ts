/**
 * Metric of the first day whose sums are not stored. Every report sums the transfers from this day
 * on again, so it is slow if this day is old.
 */

import type { Clock } from '@purser/runtime/clock'
import type { Db } from '../../core/database/db.ts'
import { createDatabaseMetric, formatMetric, type MetricSource } from '../../core/observability/metrics-exposition.ts'
import { readFirstOpenDay } from './daily-sums.ts'

export function createDailyCloseMetrics(db: Pick<Db, 'userQueries'>, clock: Clock): MetricSource {
  return createDatabaseMetric('days', async () => {
    const day = await readFirstOpenDay(db.userQueries, clock.now())
    return formatMetric('wallet_first_open_day_timestamp_seconds', 'gauge', HELP, [[{}, day.getTime() / 1_000]])
  })
}

const HELP = 'Midnight (UTC) of the first day whose sums are not kept'
