/**
 * Resolves to what `work` comes to, or after `milliseconds` to `late()`; the work goes on, and nobody hears of its end. A timer
 * that is cleared costs less than an AbortSignal.timeout, which lives on after its work.
 */
import { world } from './world.ts'

export function inTime<T>(work: Promise<T>, milliseconds: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = world.after(milliseconds, () => resolve(late()))
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error) => {
        cancel()
        reject(error)
      },
    )
  })
}
