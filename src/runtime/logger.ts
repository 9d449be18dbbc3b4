/** Logs are JSON lines on stdout, one event per call, without token, secret, e-mail or phone. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { environment } from './environment.ts'

export type { Logger } from 'pino'

/** Characters and milliseconds after which lines that wait are written. */
const WRITE_CHARS = 8_192
const WRITE_MS = 100

/** Milliseconds between two lines about an outage. */
const OUTAGE_MS = 1_000

/** An error that `isOutage` is met by every call: it is a line once a second at most, with the number of those left out. */
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

/** One for all loggers of the process. */
function getStdout(): DestinationStream {
  output ??= bufferLines(pino.destination({ fd: 1, sync: false }))
  return output
}

/**
 * Lines are written together: a write for each would cost a call more than all else that is done for its line, and pino's own way of putting them
 * together measures all that waits again with each line. Those that wait are written when the process ends, but lost when it is killed.
 */
function bufferLines(to: DestinationStream): DestinationStream {
  let lines = ''
  const flush = () => {
    if (lines !== '') to.write(lines)
    lines = ''
  }
  environment.setRepeatingTimer(WRITE_MS, flush)
  process.prependListener('exit', () => {
    Object.assign(to, { sync: true }) // a write that is only begun now is lost with the process
    flush()
  })
  return {
    write(line) {
      lines += line
      if (lines.length >= WRITE_CHARS) flush()
    },
  }
}

/** What failed and where, nothing else: a database's error carries the statement's parameters and rows with it. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type, code, message, stack, ...(cause instanceof Error && { cause: describeError(cause) }) }
}
