/**
 * Metrics that every server exports. They come first, so that the figures of the connection pools
 * do not count the queries of other metrics.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ConsoleAuth, ServerAuth } from '../core/auth/server-auth.ts'
import type { Db } from '../core/database/db.ts'
import { formatPoolMetrics } from '../core/database/postgres/pool-metrics.ts'
import type { ApiMetrics } from '../core/observability/api-metrics.ts'
import type { MetricSource } from '../core/observability/metrics-exposition.ts'

export function createCommonMetrics(db: Db, auth: ServerAuth | ConsoleAuth, apiCalls: ApiMetrics): MetricSource[] {
  const signIns = 'signIns' in auth ? [auth.signIns] : []
  return [{ text: () => formatPoolMetrics(db) }, createProcessMetrics(), auth.admission, ...signIns, apiCalls]
}

/** Processor, memory, event loop and garbage collection of this process. */
function createProcessMetrics(): MetricSource {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return { text: () => register.metrics() }
}
