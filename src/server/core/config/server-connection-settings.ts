/** Settings of connections: their number, their keep-alive, and the drain before the server ends. */
import type { SettingName } from './settings.ts'

export interface ServerConnectionSettings {
  /** Open to one process at once. */
  readonly maxConnections: number
  /** Milliseconds that a connection may stay without a request. */
  readonly keepAliveMs: number
  /** Milliseconds that a server serves on, not ready, when it is asked to end (O-19). */
  readonly drainMs: number
}

const SECOND_MS = 1_000
const MAX_CONNECTIONS = 1_000_000
/** No call takes longer, and the idle time-out of a connection must not end one. */
const MIN_KEEP_ALIVE_S = 5
const MAX_KEEP_ALIVE_S = 86_400
const MAX_DRAIN_S = 3_600

export function readConnectionSettings(
  integer: (name: SettingName, min: number, max: number) => number | undefined,
): ServerConnectionSettings {
  return {
    maxConnections: integer('PURSER_MAX_CONNECTIONS', 1, MAX_CONNECTIONS) ?? 1,
    keepAliveMs:
      (integer('PURSER_KEEP_ALIVE_SECONDS', MIN_KEEP_ALIVE_S, MAX_KEEP_ALIVE_S) ?? MIN_KEEP_ALIVE_S) * SECOND_MS,
    drainMs: (integer('PURSER_DRAIN_SECONDS', 0, MAX_DRAIN_S) ?? 0) * SECOND_MS,
  }
}
