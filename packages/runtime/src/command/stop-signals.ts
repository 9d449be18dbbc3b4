/**
 * Ends a command early: after a signal, or when the program that reads its output has ended (`… |
 * head`).
 */
import { once } from 'node:events'
import { printableLines } from '../text/printable-text.ts'

/** The first SIGINT or SIGTERM ends a command cleanly, the second at once. */
export function onStopSignal(stop: () => void): void {
  const first = () => {
    process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
    stop()
  }
  process.once('SIGINT', first).once('SIGTERM', first)
}

/** Aborts at the first signal, or when the reader of the output has gone (`… | head`). */
export function createStopSignal(): AbortSignal {
  const stop = new AbortController()
  onStopSignal(() => stop.abort())
  onOutputClosed(() => stop.abort())
  return stop.signal
}

function onOutputClosed(stop: () => void): void {
  process.stdout.once('error', stop)
}

/**
 * Backpressure: lines are produced as fast as they are read, and none after the reader has gone.
 */
export async function writeToStdout(lines: AsyncIterable<string>): Promise<void> {
  const unread = new AbortController()
  onOutputClosed(() => unread.abort())
  for await (const line of lines) {
    if (unread.signal.aborted) return
    if (process.stdout.write(printableLines(line))) continue
    await once(process.stdout, 'drain', unread).catch(() => {}) // fails only when the reader has gone
  }
}

/** Output without a reader is lost silently, and the command completes its other work. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
