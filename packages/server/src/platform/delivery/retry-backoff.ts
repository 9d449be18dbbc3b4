/**
 * Backoff of deliveries (C-4, C-5). Pure functions; times are milliseconds since the first attempt.
 */
import type { DeliveryKind } from '../store/outbox.ts'

/** Maximum number of attempts of a rollback (C-4). */
export const ROLLBACK_ATTEMPTS = 10
/** All attempts of a rollback start within this time (C-4). */
export const ROLLBACK_WINDOW_MS = 360_000
/** The gaps double from here. The tenth attempt fits the window: 0.7 · (2⁹ − 1) s = 357.7 s. */
const FIRST_GAP_MS = 700
/**
 * Largest part of a gap that is subtracted at random. Nothing is added, so that the bound holds.
 */
const JITTER = 0.05

/**
 * Results are retried for at least 24 h (C-5), and a recovered partner is served within a minute.
 */
export const RESULT_WINDOW_MS = 25 * 3_600_000
export const MAX_RESULT_GAP_MS = 60_000

/** State after an attempt without a final answer. */
export interface BackoffState {
  readonly attempts: number
  /** Start of the last attempt. */
  readonly lastAt: number
  readonly now: number
  /** From 0 to 1. */
  readonly random: number
  /** The partner's `Retry-After` in milliseconds; a Rollback ignores it. */
  readonly retryAfterMs?: number
}

/** Start of attempt `attempts + 1`; undefined if no attempt is left. */
export function computeNextAttempt(kind: DeliveryKind, tried: BackoffState): number | undefined {
  return kind === 'rollback' ? nextRollback(tried) : nextResult(tried)
}

/**
 * Each start is planned from the first one, so that slow answers do not push the last attempts out
 * of the window. After a pause of the platform several planned starts may be over. Each attempt
 * then keeps half of its planned gap, so that they do not bunch.
 */
function nextRollback({ attempts, lastAt, now, random }: BackoffState): number | undefined {
  if (attempts >= ROLLBACK_ATTEMPTS) return undefined
  const gap = FIRST_GAP_MS * 2 ** (attempts - 1)
  const planned = FIRST_GAP_MS * (2 ** attempts - 1) - gap * JITTER * random
  const at = Math.max(planned, now, lastAt + gap / 2)
  return at <= ROLLBACK_WINDOW_MS ? at : undefined
}

/**
 * The partner can lengthen a gap only up to the longest regular one, because the money is owed to a
 * player (C-5).
 */
function nextResult({ attempts, now, random, retryAfterMs = 0 }: BackoffState): number | undefined {
  const gap = Math.min(FIRST_GAP_MS * 2 ** Math.min(attempts - 1, 20), MAX_RESULT_GAP_MS)
  const at = now + Math.max(gap * (1 - JITTER * random), Math.min(retryAfterMs, MAX_RESULT_GAP_MS))
  return at <= RESULT_WINDOW_MS ? at : undefined
}

export interface RetryState {
  /** Includes an attempt in progress. */
  readonly attempts: number
  /** Start of the last attempt. */
  readonly lastAt: number
  /**
   * Undefined during an attempt. The attempt may start later, for want of capacity or while the
   * partner is down (C-10).
   */
  readonly dueAt: number | undefined
  readonly now: number
}

/**
 * Returns the starts of the coming attempts if each fails at once: the next one, and later ones
 * within the first six minutes (C-4). An overdue attempt starts now at the earliest. The jitter can
 * make each a little earlier.
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
