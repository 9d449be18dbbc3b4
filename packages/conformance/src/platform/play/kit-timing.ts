/** Wait times and limits of the platform kit, in milliseconds. Tests can scale them. */
import { LIMITS } from '@purser/protocol/wire-limits'

/** Attempts of the schedule (interface.md, Limits: Rollback retries). */
export const MAX_ROLLBACK_ATTEMPTS = 10

export interface KitTiming {
  /** The platform's time-out for an answer. */
  readonly answerMs: number
  /** An answer after this time is in time. */
  readonly inTimeMs: number
  /** An answer after this time is late. */
  readonly lateMs: number
  /** A body after this time is late, whenever its headers arrived. */
  readonly lateBodyMs: number
  /**
   * A Rollback may arrive this much before the time-out, because the platform's clock starts before
   * its request arrives.
   */
  readonly earlyMs: number
  /** Latest arrival of the Rollback after a time-out (P5). */
  readonly rollbackByMs: number
  /** First gap between the attempts of a Rollback (C-4). */
  readonly firstGapMs: number
  /** All attempts of a Rollback start within this time of the first. */
  readonly windowMs: number
  /** Time without unwanted calls. It is longer than the first two gaps of the retries together. */
  readonly quietMs: number
  /** Time to wait for a call. It is longer than the gap before the fifth attempt. */
  readonly callWaitMs: number
  /** Time to wait for a call after a restart, or for the platform's own schedule. */
  readonly recoveryMs: number
  /** Latest arrival of a call to a healthy partner, independent of the other partners. */
  readonly promptMs: number
  /**
   * Gap between the starts of scenes. Fifty at once would be a load test, and its delays would be
   * judged.
   */
  readonly startGapMs: number
  /** Delay that machines and network may add or remove. Never scaled. */
  readonly noiseMs: number
}

const NOISE_MS = 200

/** A `scale` below 1 is for platforms whose own times are shortened in the same way. */
export function createKitTiming(scale = 1, noiseMs = NOISE_MS): KitTiming {
  return {
    answerMs: LIMITS.answerMs * scale,
    inTimeMs: 4_500 * scale,
    lateMs: 5_200 * scale,
    lateBodyMs: 6_000 * scale,
    earlyMs: 150 * scale,
    rollbackByMs: 6_000 * scale,
    firstGapMs: 700 * scale,
    windowMs: 360_000 * scale,
    quietMs: 3_000 * scale,
    callWaitMs: 10_000 * scale,
    recoveryMs: 30_000 * scale,
    promptMs: 2_500 * scale,
    startGapMs: 100 * scale,
    noiseMs,
  }
}

export type KitTimingName = Exclude<keyof KitTiming, 'noiseMs'>
