/** Lets so many in at once and so many wait, in order and not for ever: one operator's crowd stays that operator's. */
import type { Soon } from '../runtime/soon.ts'
import { world } from '../runtime/world.ts'

export interface Turnstile {
  /** True when it is this one's turn: it calls `leave` then. False when too many wait, or the wait is over (world.elapsed()). */
  enter(until: number): Soon<boolean>
  leave(): void
  /** Those inside and those that wait. */
  depth(): number
}

export interface TurnstileLimits {
  readonly inside: number
  readonly waiting: number
}

export function createTurnstile({ inside: maxInside, waiting: maxWaiting }: TurnstileLimits): Turnstile {
  const waiting = new Set<(isIn: boolean) => void>()
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
      if (next === undefined) inside--
      else next(true) // the place changes hands
    },
    depth: () => inside + waiting.size,
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
