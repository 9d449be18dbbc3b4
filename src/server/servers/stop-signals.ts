/** How a command ends before its end: by a signal, or because nobody reads on. */
import { once } from 'node:events'
import { printableLines } from '../../runtime/text/printable-text.ts'

/** SIGINT and SIGTERM: the first one ends a command cleanly, a second one gives up. */
export function onStopSignal(stop: () => void): void {
  const first = () => {
    process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
    stop()
  }
  process.once('SIGINT', first).once('SIGTERM', first)
}

/** Given by the first signal, or when the reader of the output has gone (`… | head`). */
export function createStopSignal(): AbortSignal {
  const stop = new AbortController()
  onStopSignal(() => stop.abort())
  onOutputClosed(() => stop.abort())
  return stop.signal
}

function onOutputClosed(stop: () => void): void {
  process.stdout.once('error', stop)
}

/** As fast as they are read; the rest is not asked for when the reader has gone. */
export async function writeToStdout(lines: AsyncIterable<string>): Promise<void> {
  const unread = new AbortController()
  onOutputClosed(() => unread.abort())
  for await (const line of lines) {
    if (unread.signal.aborted) return
    if (process.stdout.write(printableLines(line))) continue
    await once(process.stdout, 'drain', unread).catch(() => {}) // fails only when nobody reads on
  }
}

/** Output that nobody reads any more is lost without a word; what the command does besides, it does to the end. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
