/**
 * What a process takes from outside without asking anybody: time, turns of the event loop, chance. All of src asks here (a tidy rule),
 * always as `world.elapsed()`, so that a simulation can put a world of its own in that place.
 */
import { randomBytes, randomUUID } from 'node:crypto'

export type Cancel = () => void

export interface World {
  /** Milliseconds since 1970, on a clock that people set. */
  wall(): number
  /** Milliseconds on a clock that nobody sets: what something takes, and how long it may take. */
  elapsed(): number
  /** Runs once after so many milliseconds; the process stays for it. */
  after(milliseconds: number, run: () => void): Cancel
  /** Runs again and again; the process does not stay for it. */
  every(milliseconds: number, run: () => void): Cancel
  /** Runs after what this turn of the event loop has read. */
  nextTurn(run: () => void): void
  /** From 0 to below 1. */
  chance(): number
  uuid(): string
  /** That nobody can guess. */
  bytes(size: number): Buffer
}

/** The globals are looked up at each call, as a test may have put others there. */
export const world: World = {
  wall: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, Math.max(0, milliseconds))
    return () => clearTimeout(timer)
  },
  every(milliseconds, run) {
    const timer = setInterval(run, milliseconds).unref()
    return () => clearInterval(timer)
  },
  nextTurn: (run) => void setImmediate(run),
  chance: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (size) => randomBytes(size),
}

/** Puts parts of another world in the place of this one, for the whole process; returns the way back. */
export function takeOver(other: Partial<World>): () => void {
  const before = { ...world }
  Object.assign(world, other)
  return () => void Object.assign(world, before)
}
