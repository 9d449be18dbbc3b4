/** When a delivery is tried again (C-4, C-5). Pure: times in milliseconds since the first attempt. */
import type { DeliveryKind } from '../store/outbox.ts'

/** C-4: at most this many attempts of a rollback, */
export const ROLLBACK_ATTEMPTS = 10
/** all started within this time of the first, */
export const ROLLBACK_WINDOW_MS = 360_000
/** the gaps growing by a factor of 2 from here: 0.7 · (2⁹ − 1) s = 357.7 s, so that the tenth fits the window. */
const FIRST_GAP_MS = 700
/** Part of a gap that chance may take away; never added, so that the bound holds. */
const JITTER = 0.05

/** C-5: results are tried for at least 24 h; the gap stays short enough that a partner who is back is served within a minute. */
export const RESULT_WINDOW_MS = 25 * 3_600_000
export const MAX_RESULT_GAP_MS = 60_000

/** What is known when an attempt has ended without the partner's word. Times in milliseconds since the first attempt. */
export interface BackoffState {
  readonly attempts: number
  /** When the last attempt began. */
  readonly lastAt: number
  readonly now: number
  /** From 0 to 1. */
  readonly random: number
  /** Milliseconds for which the partner asks to be left alone (Retry-After); of a Rollback they do not count. */
  readonly retryAfterMs?: number
}

/** Milliseconds after the first attempt at which attempt number `attempts + 1` is due; undefined when there is none. */
export function computeNextAttempt(kind: DeliveryKind, tried: BackoffState): number | undefined {
  return kind === 'rollback' ? nextRollback(tried) : nextResult(tried)
}

/**
 * The n-th start is planned from the first one, so that slow answers do not push the last attempts out of the window. After a
 * pause of ours several planned starts may be over: each attempt keeps half its planned gap to the last one, so that they never bunch.
 */
function nextRollback({ attempts, lastAt, now, random }: BackoffState): number | undefined {
  if (attempts >= ROLLBACK_ATTEMPTS) return undefined
  const gap = FIRST_GAP_MS * 2 ** (attempts - 1)
  const planned = FIRST_GAP_MS * (2 ** attempts - 1) - gap * JITTER * random
  const at = Math.max(planned, now, lastAt + gap / 2)
  return at <= ROLLBACK_WINDOW_MS ? at : undefined
}

/** A partner can lengthen a gap, up to the longest one: what is owed to a player waits no longer (C-5). */
function nextResult({ attempts, now, random, retryAfterMs = 0 }: BackoffState): number | undefined {
  const gap = Math.min(FIRST_GAP_MS * 2 ** Math.min(attempts - 1, 20), MAX_RESULT_GAP_MS)
  const at = now + Math.max(gap * (1 - JITTER * random), Math.min(retryAfterMs, MAX_RESULT_GAP_MS))
  return at <= RESULT_WINDOW_MS ? at : undefined
}

/** What is known of a delivery that is tried again. Times in milliseconds since the first attempt. */
export interface RetryState {
  /** One that is on its way is one of them. */
  readonly attempts: number
  /** When the last attempt began. */
  readonly lastAt: number
  /** When the next attempt is due; undefined while one is on its way. It waits on for a place, or for a partner that is down (C-10). */
  readonly dueAt: number | undefined
  readonly now: number
}

/**
 * When the attempts to come begin, should each of them fail at once: the next one, and those behind it that begin within the six minutes
 * of C-4. What is overdue begins now at the earliest; a Rollback whose six minutes are over is not tried any more. Chance may make each
 * a little earlier.
 */
export function planAttempts(kind: DeliveryKind, { attempts, lastAt, dueAt, now }: RetryState): number[] {
  const next = (tried: number, at: number) =>
    computeNextAttempt(kind, { attempts: tried, lastAt: at, now: at, random: 0 })
  const isShown = (at: number) => at <= ROLLBACK_WINDOW_MS || (kind !== 'rollback' && ahead.length === 0)
  const ahead: number[] = []
  let at = dueAt === undefined ? next(attempts, lastAt) : Math.max(dueAt, now)
  for (let tried = attempts + 1; at !== undefined && isShown(at); tried++) {
    ahead.push(at)
    at = next(tried, at)
  }
  return ahead
}
