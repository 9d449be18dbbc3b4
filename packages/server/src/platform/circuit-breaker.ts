/**
 * Circuit breaker and concurrency limits for one partner in one process.
 *
 * - up: only the concurrency limits apply, one for results and one for Rollbacks. Five calls in a
 *   row with an unknown outcome open the breaker.
 * - down: one call at a time is a probe. The probe is a result (C-6), or a Place bet if no result
 *   waits. Other Place bets are declined without a call (C-10). Any answer closes the breaker.
 *
 * Rollbacks continue while the breaker is open (W-15). A Rollback has at most ten attempts with
 * doubling gaps, all within six minutes of the first (C-4). Rollbacks are probes themselves, and a
 * Rollback that waits would lose attempts.
 */
import { isSignatureRefused, UNKNOWN_SECRET } from '@purser/protocol/client/caller-refusals'
import type { WalletAnswer } from '@purser/protocol/client/wallet-client'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import type { DeliveryKind } from './store/outbox.ts'

export const DELIVERY_LANES = ['rollbacks', 'results'] as const
export type DeliveryLane = (typeof DELIVERY_LANES)[number]
/** `users` are calls that a user waits for. */
export type CallPurpose = 'users' | DeliveryLane

export function deliveryLaneOf(operation: DeliveryKind): DeliveryLane {
  return operation === 'rollback' ? 'rollbacks' : 'results'
}

export interface PartnerState {
  /** `probing` means down with a probe in progress. */
  readonly kind: 'up' | 'down' | 'probing'
  /** Time of the last change in milliseconds; null while up since the start of the process. */
  readonly since: number | null
  /** Last call with an unusable answer or a rejected signature; null if none. */
  readonly lastFault: { readonly at: number; readonly text: string } | null
}

export interface CallEnd {
  readonly at: number
  readonly durationMs: number
  /** Reason of an unknown outcome; null after an answer. */
  readonly fault: string | null
  /** Set if the partner rejected the signature. */
  readonly refusal?: string
}

export interface CircuitBreaker {
  /** Number of calls that may start at `now`, in milliseconds. */
  allowance(use: CallPurpose, now: number): number
  /** Time in milliseconds of the next probe; null if only the end of a call frees the lane. */
  nextProbeAt(lane: DeliveryLane): number | null
  started(use: CallPurpose, now: number): void
  /** `end` is undefined if the call was not made. */
  ended(use: CallPurpose, end: CallEnd | undefined): void
  state(): PartnerState
  /** Deliveries in progress. */
  inFlight(): number
}

const FAILURES_TO_OPEN = 5
/** Between the starts of two probes. */
const PROBE_GAP_MS = 500

/** `bound` limits the concurrent calls of each lane. Calls of users have no limit. */
export function createCircuitBreaker(bound: number): CircuitBreaker {
  const inFlight = { rollbacks: 0, results: 0, users: 0 }
  let failures = 0
  let lastProbeAt = Number.NEGATIVE_INFINITY
  let since: number | null = null
  let lastFault: PartnerState['lastFault'] = null
  const isDown = () => failures >= FAILURES_TO_OPEN
  const limits = { rollbacks: createConcurrencyLimit(bound), results: createConcurrencyLimit(bound) }
  const sizeOf = (use: CallPurpose) => (use === 'users' ? Number.POSITIVE_INFINITY : limits[use].size())
  const learn = (lane: DeliveryLane, { at, durationMs, fault }: CallEnd) =>
    fault === null ? limits[lane].answered(durationMs, at) : limits[lane].unanswered()
  return {
    allowance(use, now) {
      if (use === 'rollbacks' || !isDown()) return Math.max(sizeOf(use) - inFlight[use], 0)
      return inFlight.results + inFlight.users === 0 && now - lastProbeAt >= PROBE_GAP_MS ? 1 : 0
    },
    nextProbeAt: (lane) => (lane === 'results' && isDown() ? lastProbeAt + PROBE_GAP_MS : null),
    started(use, now) {
      inFlight[use]++
      if (use !== 'users') limits[use].sent(inFlight[use], now)
      if (use !== 'rollbacks') lastProbeAt = now
    },
    ended(use, end) {
      if (end !== undefined && use !== 'users') learn(use, end)
      inFlight[use]--
      if (end === undefined) {
        if (use !== 'rollbacks') lastProbeAt = Number.NEGATIVE_INFINITY // no call was made, so the next probe need not wait
        return
      }
      const wasDown = isDown()
      failures = end.fault === null ? 0 : failures + 1
      const text = end.fault ?? end.refusal
      if (text !== undefined) lastFault = { at: end.at, text }
      if (isDown() !== wasDown) since = end.at
    },
    state: () => ({
      kind: !isDown() ? 'up' : inFlight.results + inFlight.users > 0 ? 'probing' : 'down',
      since,
      lastFault,
    }),
    inFlight: () => inFlight.rollbacks + inFlight.results,
  }
}

export interface CircuitBreakers {
  of(partnerId: string): CircuitBreaker
  all(): Iterable<CircuitBreaker>
}

export function createCircuitBreakers(bound: number): CircuitBreakers {
  const breakers = new Map<string, CircuitBreaker>()
  return {
    of(partnerId) {
      const known = breakers.get(partnerId) ?? createCircuitBreaker(bound)
      breakers.set(partnerId, known)
      return known
    },
    all: () => breakers.values(),
  }
}

export function toCallEnd({ outcome, durationMs }: WalletAnswer, now: number): CallEnd {
  const fault = outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null
  return { at: now, durationMs, fault, ...(isSignatureRefused({ outcome }) && { refusal: UNKNOWN_SECRET }) }
}
