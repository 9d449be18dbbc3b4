/**
 * One breaker per partner and process: after several calls in a row of which nobody knows the outcome, the partner is
 * probed by one call at a time, with a pause, until one is answered (C-6). It bounds calls; it never drops one.
 *
 *   closed ──5 unknown outcomes in a row──► open ──any answer──► closed
 */
export interface Breaker {
  /** How many calls may start now, given how many are on their way. */
  allowance(inFlight: number, now: number): number
  /** When an open breaker allows the next probe; null while it is closed. In milliseconds, like `now`. */
  nextProbeAt(): number | null
  started(now: number): void
  ended(wasAnswered: boolean): void
}

const FAILURES_TO_OPEN = 5
/** Milliseconds between the starts of two probes; under the first gap of a rollback (C-4), which must not be delayed. */
const PROBE_GAP_MS = 500

export function createBreaker(capacity: number): Breaker {
  let failures = 0
  let lastStart = Number.NEGATIVE_INFINITY
  const isOpen = () => failures >= FAILURES_TO_OPEN
  return {
    allowance(inFlight, now) {
      if (!isOpen()) return Math.max(capacity - inFlight, 0)
      return inFlight === 0 && now - lastStart >= PROBE_GAP_MS ? 1 : 0
    },
    nextProbeAt: () => (isOpen() ? lastStart + PROBE_GAP_MS : null),
    started(now) {
      lastStart = now
    },
    ended(wasAnswered) {
      failures = wasAnswered ? 0 : failures + 1
    },
  }
}
