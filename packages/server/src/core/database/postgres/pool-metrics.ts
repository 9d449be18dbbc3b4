/** Metrics of the connection pools in the text format of Prometheus. */
import type pg from 'pg'
import { formatMetric } from '../../observability/metrics-exposition.ts'
import { type Db, statement } from '../db.ts'

export interface PoolStatistics {
  /** Value of the metrics' label `pool`. */
  readonly use: string
  /** Limit of connections. */
  readonly most: number
  readonly busy: number
  readonly idle: number
  /** Transactions that wait for a free connection. */
  readonly waiting: number
}

export function sumPoolStatistics(use: string, pools: readonly pg.Pool[]): PoolStatistics {
  const sum = (of: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0)
  return {
    use,
    most: sum(({ options }) => options.max),
    busy: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sum(({ idleCount }) => idleCount),
    // `pg` queues a request for one turn even while a connection is free.
    waiting: sum(({ waitingCount, idleCount }) => Math.max(0, waitingCount - idleCount)),
  }
}

const METRICS = [
  ['purser_database_connections_busy', 'Connections to the database that are in use', 'busy'],
  ['purser_database_connections_idle', 'Connections to the database that are open and free', 'idle'],
  ['purser_database_connections_max', 'Connections to the database at most', 'most'],
  [
    'purser_database_connections_waiting',
    'Transactions that wait while no connection to the database is free',
    'waiting',
  ],
] as const

export function formatPoolMetrics({ pools }: Pick<Db, 'pools'>): string {
  const all = pools()
  return METRICS.map(([name, help, member]) =>
    formatMetric(
      name,
      'gauge',
      help,
      all.map((pool) => [{ pool: pool.use }, pool[member]] as const),
    ),
  ).join('')
}

/**
 * All clients of the database share its connections. A role or database limit of -1 means no limit.
 */
const READ_LIMIT = statement(
  'read_connection_limit',
  `select least(
     current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true)::int, 0),
     nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)) as most
   from pg_catalog.pg_roles r, pg_catalog.pg_database d
   where r.rolname = current_user and d.datname = current_database()`,
)

/**
 * Undefined when the pools fit into the limit of the database. The limit of a pooler is not
 * visible.
 */
export async function describeConnectionShortage(db: Pick<Db, 'pools' | 'query'>): Promise<string | undefined> {
  const needed = db.pools().reduce((sum, { most }) => sum + most, 0)
  const [limit] = await db.query<{ most: number }>(READ_LIMIT)
  if (limit === undefined || limit.most >= needed) return undefined
  return `the database gives ${limit.most} connections to all of its clients, and this process may open ${needed}: raise max_connections, or the connection limit of the role or database, or calls fail under load`
}
