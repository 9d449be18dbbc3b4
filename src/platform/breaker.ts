/**
 * How many calls may go to one partner, from one process. Rollbacks and results have lanes of their own, each bounded.
 * After several calls in a row of which nobody knows the outcome the partner counts as down: results wait, but for one at
 * a time that probes it (C-6). Rollbacks go on: each has ten attempts at most, with gaps that double, all within six
 * minutes of the first (C-4), so that they are probes themselves, and waiting would cost them their attempts (W-15).
 *
 *   up ──5 unknown outcomes in a row──► down ──any answer──► up
 */
import type { DeliveryKind } from './schedule.ts'

export const LANES = ['rollbacks', 'results'] as const
export type Lane = (typeof LANES)[number]

export function laneOf(operation: DeliveryKind): Lane {
  return operation === 'rollback' ? 'rollbacks' : 'results'
}

export interface Breaker {
  /** How many calls of a lane may start now, in milliseconds. */
  allowance(lane: Lane, now: number): number
  /** When a lane that has nothing allowed is looked at again, in milliseconds; null when the end of a call decides. */
  nextProbeAt(lane: Lane): number | null
  started(lane: Lane, now: number): void
  /** Undefined: the call was not made. */
  ended(lane: Lane, wasAnswered: boolean | undefined): void
  /** Calls on their way. */
  inFlight(): number
}

const FAILURES_TO_OPEN = 5
/** Milliseconds between the starts of two probes. */
const PROBE_GAP_MS = 500

/** `capacity` is the number of calls at once, of each lane. */
export function createBreaker(capacity: number): Breaker {
  const inFlight = { rollbacks: 0, results: 0 }
  let failures = 0
  let lastResultAt = Number.NEGATIVE_INFINITY
  const isDown = () => failures >= FAILURES_TO_OPEN
  return {
    allowance(lane, now) {
      if (lane === 'rollbacks' || !isDown()) return Math.max(capacity - inFlight[lane], 0)
      return inFlight.results === 0 && now - lastResultAt >= PROBE_GAP_MS ? 1 : 0
    },
    nextProbeAt: (lane) => (lane === 'results' && isDown() ? lastResultAt + PROBE_GAP_MS : null),
    started(lane, now) {
      inFlight[lane]++
      if (lane === 'results') lastResultAt = now
    },
    ended(lane, wasAnswered) {
      inFlight[lane]--
      if (wasAnswered !== undefined) failures = wasAnswered ? 0 : failures + 1
    },
    inFlight: () => inFlight.rollbacks + inFlight.results,
  }
}
