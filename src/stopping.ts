/** SIGINT and SIGTERM: the first one ends a command cleanly, a second one gives up. */

export function onStop(stop: () => void): void {
  const first = () => {
    process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
    stop()
  }
  process.once('SIGINT', first).once('SIGTERM', first)
}

/** Given by the first signal. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  onStop(() => stop.abort())
  return stop.signal
}
