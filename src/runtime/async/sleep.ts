/** Waiting, in the time of the world. */
import { environment } from '../environment.ts'

/** Resolves after so many milliseconds, or as soon as the signal comes. */
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

/** Resolves after what this turn of the event loop has read. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => environment.nextTurn(resolve))
}
