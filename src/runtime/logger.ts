/** Logs are JSON lines on stdout, one event per call, without token, secret, e-mail or phone. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { world } from './world.ts'

export type { Logger } from 'pino'

/** Characters and milliseconds after which lines that wait are written. */
const WRITE_CHARS = 8_192
const WRITE_MS = 100

export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } }
  return pino(options, stdout())
}

let output: DestinationStream | undefined

/** One for all loggers of the process. */
function stdout(): DestinationStream {
  output ??= writtenTogether(pino.destination({ fd: 1, sync: false }))
  return output
}

/**
 * Lines are written together: a write for each would cost a call more than all else that is done for its line, and pino's own way of putting them
 * together measures all that waits again with each line. Those that wait are written when the process ends, but lost when it is killed.
 */
function writtenTogether(to: DestinationStream): DestinationStream {
  let lines = ''
  const flush = () => {
    if (lines !== '') to.write(lines)
    lines = ''
  }
  world.every(WRITE_MS, flush)
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
