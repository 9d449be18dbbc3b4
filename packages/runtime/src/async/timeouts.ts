/**
 * Time-outs of work and of outgoing calls.
 *
 * A timer that is cleared costs a twentieth of an AbortSignal.timeout, which runs on after its call
 * has ended.
 */
import { type Cancel, environment } from '../environment.ts'

/**
 * Resolves to the result of `work`, or to `onTimeout()` after `milliseconds`. Late results and
 * errors are ignored.
 */
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

/** Callers use `timeouts.after`, so that a simulation can replace it. */
export const timeouts = {
  /** Runs `over` once. */
  after: (milliseconds: number, over: () => void): Cancel => environment.setTimer(milliseconds, over),
}

/**
 * Like AbortSignal.timeout, with the environment's timer. It keeps the process alive until it is
 * cancelled.
 */
export function timeoutSignal(milliseconds: number): { readonly signal: AbortSignal; readonly cancel: Cancel } {
  const controller = new AbortController()
  const over = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  return { signal: controller.signal, cancel: environment.setTimer(milliseconds, over) }
}
