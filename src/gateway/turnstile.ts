/** Lets so many in at once and so many wait, in order and not for ever: one operator's crowd stays that operator's. */
import type { Soon } from '../runtime/soon.ts'
import { world } from '../runtime/world.ts'

export interface Turnstile {
  /** True when it is this one's turn: it calls `leave` then. False when too many wait, or the wait is over (world.elapsed()). */
  enter(until: number): Soon<boolean>
  leave(): void
  /** Those inside and those that wait. */
  depth(): number
  /** Resolves as soon as nobody is inside, and so nobody waits. */
  empty(): Promise<void>
}

export interface TurnstileLimits {
  readonly inside: number
  readonly waiting: number
}

export function createTurnstile({ inside: maxInside, waiting: maxWaiting }: TurnstileLimits): Turnstile {
  const waiting = new Set<(isIn: boolean) => void>()
  const watching: (() => void)[] = []
  let inside = 0
  return {
    enter(until) {
      if (inside < maxInside) {
        inside++
        return true
      }
      return waiting.size < maxWaiting && turn(waiting, until)
    },
    leave() {
      const [next] = waiting
      if (next !== undefined) return next(true) // the place changes hands
      inside--
      if (inside === 0) for (const tell of watching.splice(0)) tell()
    },
    depth: () => inside + waiting.size,
    empty: () => (inside === 0 ? Promise.resolve() : new Promise((resolve) => watching.push(resolve))),
  }
}

function turn(waiting: Set<(isIn: boolean) => void>, until: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isIn: boolean) => {
      cancel()
      waiting.delete(settle)
      resolve(isIn)
    }
    const cancel = world.after(until - world.elapsed(), () => settle(false))
    waiting.add(settle)
  })
}
