/** Logs are JSON lines on stdout, one event per call, without token, secret, e-mail or phone. */
import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 1, sync: false }))
}
