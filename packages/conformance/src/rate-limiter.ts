/** Limits the calls per second (`--pace`), because some test systems reject calls above a rate. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface CallRateLimiter {
  /** Resolves when `calls` calls may be sent together. */
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
