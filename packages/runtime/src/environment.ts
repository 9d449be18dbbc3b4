/**
 * The nondeterministic inputs of a process: time, timers, turns of the event loop, randomness.
 *
 * A tidy test ensures that all code in src uses them as `environment.monotonicNow()`, so that a
 * simulation can replace them.
 */
import { randomBytes, randomUUID } from 'node:crypto'

export type Cancel = () => void

export interface Environment {
  /** Milliseconds since 1970, from a clock that can be set. */
  now(): number
  /** Milliseconds of a clock that cannot be set, for durations and timeouts. */
  monotonicNow(): number
  /** Runs once. The process stays alive for it. */
  setTimer(milliseconds: number, run: () => void): Cancel
  /** Runs repeatedly. The process does not stay alive for it. */
  setRepeatingTimer(milliseconds: number, run: () => void): Cancel
  /** Runs when this turn of the event loop has processed its input. */
  nextTurn(run: () => void): void
  /** From 0 to below 1. */
  random(): number
  uuid(): string
  /** Cryptographically secure. */
  randomBytes(size: number): Buffer
}

/** Each call looks up the global, because a test may have replaced it. */
export const environment: Environment = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, Math.max(0, milliseconds))
    return () => clearTimeout(timer)
  },
  setRepeatingTimer(milliseconds, run) {
    const timer = setInterval(run, milliseconds).unref()
    return () => clearInterval(timer)
  },
  nextTurn: (run) => void setImmediate(run),
  random: () => Math.random(),
  uuid: () => randomUUID(),
  randomBytes: (size) => randomBytes(size),
}

/** Replaces parts of the environment for the whole process. Returns the restore function. */
export function replaceEnvironment(overrides: Partial<Environment>): () => void {
  const before = { ...environment }
  Object.assign(environment, overrides)
  return () => void Object.assign(environment, before)
}
