/** Waits as promises: for a time, or for the next turn of the event loop. */
import { environment } from '../environment.ts'

/** Resolves after the time, or when the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = environment.setTimer(milliseconds, end)
    signal?.addEventListener('abort', end)
  })
}

/** Resolves when this turn of the event loop has processed its input. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => environment.nextTurn(resolve))
}
