/**
 * What a process takes from outside without asking anybody: time, turns of the event loop, chance. All of src asks here (a tidy rule),
 * always as `environment.monotonicNow()`, so that a simulation can put a world of its own in that place.
 */
import { randomBytes, randomUUID } from 'node:crypto'

export type Cancel = () => void

export interface Environment {
  /** Milliseconds since 1970, on a clock that people set. */
  now(): number
  /** Milliseconds on a clock that nobody sets: what something takes, and how long it may take. */
  monotonicNow(): number
  /** Runs once after so many milliseconds; the process stays for it. */
  setTimer(milliseconds: number, run: () => void): Cancel
  /** Runs again and again; the process does not stay for it. */
  setRepeatingTimer(milliseconds: number, run: () => void): Cancel
  /** Runs after what this turn of the event loop has read. */
  nextTurn(run: () => void): void
  /** From 0 to below 1. */
  random(): number
  uuid(): string
  /** That nobody can guess. */
  randomBytes(size: number): Buffer
}

/** The globals are looked up at each call, as a test may have put others there. */
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

/** Puts parts of another world in the place of this one, for the whole process; returns the way back. */
export function replaceEnvironment(overrides: Partial<Environment>): () => void {
  const before = { ...environment }
  Object.assign(environment, overrides)
  return () => void Object.assign(environment, before)
}
