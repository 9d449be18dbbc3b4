/**
 * Time-outs of calls to others. A timer that is cleared costs a twentieth of an AbortSignal.timeout, which lives on after its
 * work. Called as `timeOut.after`, so that a simulation can put its own time in that place.
 */
export const timeOut = {
  /** Runs `over` once after so many milliseconds; returns the cancellation. */
  after(milliseconds: number, over: () => void): () => void {
    const timer = setTimeout(over, Math.max(0, milliseconds))
    return () => clearTimeout(timer)
  },
}
