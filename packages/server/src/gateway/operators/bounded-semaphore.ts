/**
 * Semaphore with a bounded, timed queue, so that calls to a slow operator delay no calls to others
 * (G-7).
 */

import type { MaybePromise } from '@purser/runtime/async/maybe-promise'
import { environment } from '@purser/runtime/environment'

export interface BoundedSemaphore {
  /**
   * True if the caller has a permit and must call `release`. False if the queue is full or `until`
   * has passed, a time of `environment.monotonicNow()`.
   */
  acquire(until: number): MaybePromise<boolean>
  release(): void
  /** Permits in use and waiting callers. */
  depth(): number
  /** Resolves when no permit is in use. */
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
      if (next !== undefined) return next(true) // the permit passes to the next caller
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
