/**
 * Resolves to the result of `work`, or to `onTimeout()` after `milliseconds`. Late results and
 * errors are ignored. A timer that is cleared costs less than an AbortSignal.timeout, which runs on
 * after the work has ended.
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
