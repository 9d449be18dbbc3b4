/**
 * Settings of a server's connections: their limit, their keep-alive time, and the time of the
 * drain.
 */
import type { SettingName } from './settings.ts'

export interface ServerConnectionSettings {
  /** Limit of open connections per process. */
  readonly maxConnections: number
  /** Milliseconds without a request after which a connection is closed. */
  readonly keepAliveMs: number
  /** Milliseconds for which a server still serves after a stop signal, but is not ready (O-19). */
  readonly drainMs: number
}

const SECOND_MS = 1_000
const MAX_CONNECTIONS = 1_000_000
/** No call takes longer, and the idle timeout must not end a call. */
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
