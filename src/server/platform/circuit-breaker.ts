/**
 * How many calls may go to one partner, from one process. Rollbacks and results have lanes of their own, each with its window.
 * After several calls in a row of which nobody knows the outcome the partner counts as down. Then one call at a time probes
 * it: a result (C-6), or a Place bet when there is none; other Place bets are declined without a call (C-10). Rollbacks go
 * on: each has ten attempts at most, with gaps that double, all within six minutes of the first (C-4), so that they are
 * probes themselves, and waiting would cost them their attempts (W-15).
 *
 *   up ──5 unknown outcomes in a row──► down ──any answer──► up
 */
import { isSignatureRefused, UNKNOWN_SECRET } from '../../protocol/client/caller-refusals.ts'
import type { WalletAnswer } from '../../protocol/client/wallet-client.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import type { DeliveryKind } from './store/outbox.ts'

export const DELIVERY_LANES = ['rollbacks', 'results'] as const
export type DeliveryLane = (typeof DELIVERY_LANES)[number]
/** What a partner is called for: deliveries, or what users wait for. */
export type CallPurpose = 'users' | DeliveryLane

export function deliveryLaneOf(operation: DeliveryKind): DeliveryLane {
  return operation === 'rollback' ? 'rollbacks' : 'results'
}

/** What one process knows of a partner. */
export interface PartnerState {
  /** probing: down, and a probe is on its way. */
  readonly kind: 'up' | 'down' | 'probing'
  /** When it became up or down, in milliseconds; null while it has been up since the process started. */
  readonly since: number | null
  /** The last call without a usable answer, or whose signature was refused; null when there was none. */
  readonly lastFault: { readonly at: number; readonly text: string } | null
}

/** How a call ended. */
export interface CallEnd {
  readonly at: number
  readonly durationMs: number
  /** Why nobody knows the outcome; null when the partner answered. */
  readonly fault: string | null
  /** The partner answered, and refused the signature. */
  readonly refusal?: string
}

export interface CircuitBreaker {
  /** How many calls may start now, in milliseconds. */
  allowance(use: CallPurpose, now: number): number
  /** When a lane that has nothing allowed is looked at again, in milliseconds; null when the end of a call decides. */
  nextProbeAt(lane: DeliveryLane): number | null
  started(use: CallPurpose, now: number): void
  /** Undefined: the call was not made. */
  ended(use: CallPurpose, end: CallEnd | undefined): void
  state(): PartnerState
  /** Calls of deliveries on their way. */
  inFlight(): number
}

const FAILURES_TO_OPEN = 5
/** Milliseconds between the starts of two probes. */
const PROBE_GAP_MS = 500

/** `bound` is the highest number of calls at once, of each lane; users' calls are as many as there are users. */
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
        if (use !== 'rollbacks') lastProbeAt = Number.NEGATIVE_INFINITY // it was no probe: the next one need not wait
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

/** The breakers of one process. */
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

/** What a breaker learns from an answer. */
export function toCallEnd({ outcome, durationMs }: WalletAnswer, now: number): CallEnd {
  const fault = outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null
  return { at: now, durationMs, fault, ...(isSignatureRefused({ outcome }) && { refusal: UNKNOWN_SECRET }) }
}
