/** The pools of connections as a monitoring system sees them. */
import { metricText } from '../runtime/metric-text.ts'
import type { Db } from './db.ts'

export interface Pool {
  /** What its connections are for. */
  readonly use: string
  /** Connections at most. */
  readonly most: number
  readonly busy: number
  readonly idle: number
  /** How many wait for one. */
  readonly waiting: number
}

const METRICS = [
  ['purser_database_connections_busy', 'Connections to the database that are in use', 'busy'],
  ['purser_database_connections_idle', 'Connections to the database that are open and free', 'idle'],
  ['purser_database_connections_max', 'Connections to the database at most', 'most'],
  ['purser_database_connections_waiting', 'How many wait for a connection to the database', 'waiting'],
] as const

/** Prometheus text. */
export function connectionsText({ pools }: Pick<Db, 'pools'>): string {
  const all = pools()
  return METRICS.map(([name, help, member]) =>
    metricText(
      name,
      'gauge',
      help,
      all.map((pool) => [{ pool: pool.use }, pool[member]] as const),
    ),
  ).join('')
}
