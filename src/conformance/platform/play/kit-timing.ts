/** The times that the kit waits and judges by, in milliseconds: one record, so that a test can shrink all of them alike. */
import { LIMITS } from '../../../protocol/wire-limits.ts'

/** Of the schedule (interface.md, Limits: Rollback retries). */
export const MAX_ROLLBACK_ATTEMPTS = 10

export interface KitTiming {
  /** The platform waits so long for an answer. */
  readonly answerMs: number
  /** An answer after this time is in time, */
  readonly inTimeMs: number
  /** one after this time is too late, */
  readonly lateMs: number
  /** and so is a body after this time, whenever its headers came. */
  readonly lateBodyMs: number
  /** A rollback may be seen this much before the time-out is over: the platform's clock starts before its request arrives. */
  readonly earlyMs: number
  /** A rollback after a time-out is on its way by then (P5). */
  readonly rollbackByMs: number
  /** The first gap of the rollback's retries (C-4). */
  readonly firstGapMs: number
  /** All attempts of a rollback start within this time of the first. */
  readonly windowMs: number
  /** Watched for what must not come; longer than the first two gaps of the retries together. */
  readonly quietMs: number
  /** Waited for what must come; longer than the gap before the fifth attempt. */
  readonly patienceMs: number
  /** Waited for what must come after a restart of the platform, or by a schedule that is the platform's own. */
  readonly recoveryMs: number
  /** A call to a healthy partner is on its way by then, whatever other partners do. */
  readonly promptMs: number
  /** Between the starts of two scenes: fifty at once would be a load test, and its delays would be judged. */
  readonly startGapMs: number
  /** What the machines and the network between them may add or take, never scaled. */
  readonly noiseMs: number
}

const NOISE_MS = 200

/** The times of the interface; times of a `scale` below 1 are for platforms whose own times are shrunk alike. */
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
    patienceMs: 10_000 * scale,
    recoveryMs: 30_000 * scale,
    promptMs: 2_500 * scale,
    startGapMs: 100 * scale,
    noiseMs,
  }
}

/** A moment of the record above. */
export type KitTimingName = Exclude<keyof KitTiming, 'noiseMs'>
