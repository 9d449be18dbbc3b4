/** Not more calls per second than asked (--pace), for test systems that refuse more. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface CallRateLimiter {
  /** Resolves when so many calls may be sent, which are then sent together. */
  acquire(calls: number): Promise<void>
}

export const NO_RATE_LIMIT: CallRateLimiter = { acquire: async () => {} }

const MS_PER_SECOND = 1_000

export function createCallRateLimiter(callsPerSecond: number): CallRateLimiter {
  let freeAt = 0
  return {
    async acquire(calls) {
      const now = performance.now()
      const start = Math.max(now, freeAt)
      freeAt = start + (calls * MS_PER_SECOND) / callsPerSecond
      if (start > now) await sleep(start - now)
    },
  }
}
