/** Logs are JSON lines on stdout, one event per call, without token, secret, e-mail or phone. */
import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/**
 * Lines are written together: a write for each would cost a call more than all else that is done for its line. Those that wait are written when the
 * process ends, but lost when it is killed.
 */
const WRITE_BYTES = 8_192
const WRITE_MS = 100

export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } }
  return pino(options, pino.destination({ fd: 1, sync: false, minLength: WRITE_BYTES, periodicFlush: WRITE_MS }))
}

/** What failed and where, nothing else: a database's error carries the statement's parameters and rows with it. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type, code, message, stack, ...(cause instanceof Error && { cause: describeError(cause) }) }
}
