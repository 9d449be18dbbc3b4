/**
 * Timeouts of outgoing calls.
 *
 * A timer that is cleared costs a twentieth of an AbortSignal.timeout, which runs on after its call
 * has ended. Callers use `timeouts.after`, so that a simulation can replace it.
 */
import { type Cancel, environment } from '../environment.ts'

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
