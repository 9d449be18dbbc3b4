/**
 * Resolves to what `work` comes to, or after `milliseconds` to `onTimeout()`; the work goes on, and nobody hears of its end. A timer
 * that is cleared costs less than an AbortSignal.timeout, which lives on after its work.
 */
import { environment } from '../environment.ts'

export function withTimeout<T>(work: Promise<T>, milliseconds: number, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = environment.setTimer(milliseconds, () => resolve(onTimeout()))
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
