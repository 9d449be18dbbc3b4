/**
 * Time-outs of calls to others. A timer that is cleared costs a twentieth of an AbortSignal.timeout, which lives on after its
 * work. Called as `timeouts.setTimer`, so that a simulation can put its own time in that place.
 */
import { type Cancel, environment } from '../environment.ts'

export const timeouts = {
  /** Runs `over` once after so many milliseconds; returns the cancellation. */
  after: (milliseconds: number, over: () => void): Cancel => environment.setTimer(milliseconds, over),
}

/** What AbortSignal.timeout gives, in the time of the world. Cancel it when the call is over: the process stays for it. */
export function timeoutSignal(milliseconds: number): { readonly signal: AbortSignal; readonly cancel: Cancel } {
  const controller = new AbortController()
  const over = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  return { signal: controller.signal, cancel: environment.setTimer(milliseconds, over) }
}
