/**
 * The metrics that every server has. They stand first: the pools are read before other metrics
 * query.
 */

import type { Db } from '../db/db.ts'
import { formatPoolMetrics } from '../db/pool-metrics.ts'
import type { ApiMetrics } from '../http/api-metrics.ts'
import type { ConsoleAuth, ServerAuth } from '../people/server-auth.ts'
import type { MetricSource } from '../runtime/metrics-exposition.ts'

export function createCommonMetrics(db: Db, auth: ServerAuth | ConsoleAuth, apiCalls: ApiMetrics): MetricSource[] {
  const signIns = 'signIns' in auth ? [auth.signIns] : []
  return [{ text: () => formatPoolMetrics(db) }, auth.admission, ...signIns, apiCalls]
}
