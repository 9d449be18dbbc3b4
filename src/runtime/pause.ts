/** Waiting, in the time of the world. */
import { world } from './world.ts'

/** Resolves after so many milliseconds, or as soon as the signal comes. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = world.after(milliseconds, end)
    signal?.addEventListener('abort', end)
  })
}

/** Resolves after what this turn of the event loop has read. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => world.nextTurn(resolve))
}
