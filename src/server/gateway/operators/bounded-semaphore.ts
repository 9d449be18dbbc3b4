/** Lets so many in at once and so many wait, in order and not for ever: one operator's crowd stays that operator's. */

import type { MaybePromise } from '../../../runtime/async/maybe-promise.ts'
import { environment } from '../../../runtime/environment.ts'

export interface BoundedSemaphore {
  /** True when it is this one's turn: it calls `leave` then. False when too many wait, or the wait is over (world.elapsed()). */
  acquire(until: number): MaybePromise<boolean>
  release(): void
  /** Those inside and those that wait. */
  depth(): number
  /** Resolves as soon as nobody is inside, and so nobody waits. */
  whenIdle(): Promise<void>
}

export interface SemaphoreLimits {
  readonly inside: number
  readonly waiting: number
}

export function createBoundedSemaphore({ inside: maxInside, waiting: maxWaiting }: SemaphoreLimits): BoundedSemaphore {
  const waiting = new Set<(isAcquired: boolean) => void>()
  const idleWaiters: (() => void)[] = []
  let inside = 0
  return {
    acquire(until) {
      if (inside < maxInside) {
        inside++
        return true
      }
      return waiting.size < maxWaiting && waitForPermit(waiting, until)
    },
    release() {
      const [next] = waiting
      if (next !== undefined) return next(true) // the place changes hands
      inside--
      if (inside === 0) for (const notify of idleWaiters.splice(0)) notify()
    },
    depth: () => inside + waiting.size,
    whenIdle: () => (inside === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  }
}

function waitForPermit(waiting: Set<(isAcquired: boolean) => void>, until: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isAcquired: boolean) => {
      cancel()
      waiting.delete(settle)
      resolve(isAcquired)
    }
    const cancel = environment.setTimer(until - environment.monotonicNow(), () => settle(false))
    waiting.add(settle)
  })
}
