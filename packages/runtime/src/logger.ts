/**
 * Logger: JSON lines on stdout, one event per call, without tokens, secrets, e-mails or phone
 * numbers.
 */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { environment } from './environment.ts'

export type { Logger } from 'pino'

/** Limits, in characters and milliseconds, after which buffered lines are written. */
const WRITE_CHARS = 8_192
const WRITE_MS = 100

/** Milliseconds between two lines about an outage. */
const OUTAGE_MS = 1_000

/**
 * Every call would log the same outage, so `isOutage` errors are logged once a second, with the
 * number of skipped lines.
 */
export function createLogger(level: string, isOutage: (error: unknown) => boolean = () => false): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } }
  return pino({ ...options, hooks: { logMethod: throttleOutages(isOutage) } }, getStdout())
}

export function throttleOutages(isOutage: (error: unknown) => boolean): LogFn {
  let loggedAt = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return function (args, method) {
    const [fields, ...rest] = args as [unknown, ...string[]]
    if (!isObject(fields) || fields.err === undefined || !isOutage(fields.err)) return method.apply(this, args)
    if (environment.monotonicNow() - loggedAt < OUTAGE_MS) {
      leftOut += 1
      return
    }
    method.apply(this, [{ ...fields, ...(leftOut > 0 && { leftOut }) }, ...rest] as typeof args)
    loggedAt = environment.monotonicNow()
    leftOut = 0
  }
}

type LogFn = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

function isObject(fields: unknown): fields is { readonly err?: unknown } {
  return typeof fields === 'object' && fields !== null
}

let output: DestinationStream | undefined

/** All loggers of the process share it. */
function getStdout(): DestinationStream {
  output ??= bufferLines(pino.destination({ fd: 1, sync: false }))
  return output
}

/**
 * Buffers lines. One write per line would cost more than all other work for the line, and pino's
 * buffer measures all waiting lines again with each line. The buffer is written when the process
 * exits, and lost when it is killed.
 */
function bufferLines(to: DestinationStream): DestinationStream {
  let lines = ''
  const flush = () => {
    if (lines !== '') to.write(lines)
    lines = ''
  }
  environment.setRepeatingTimer(WRITE_MS, flush)
  process.prependListener('exit', () => {
    Object.assign(to, { sync: true }) // an asynchronous write would be lost with the process
    flush()
  })
  return {
    write(line) {
      lines += line
      if (lines.length >= WRITE_CHARS) flush()
    },
  }
}

/**
 * Only these fields are logged, because a database error contains the statement's parameters and
 * rows.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type, code, message, stack, ...(cause instanceof Error && { cause: describeError(cause) }) }
}
