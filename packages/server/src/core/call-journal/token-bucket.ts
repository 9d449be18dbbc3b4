/**
 * Limits for the calls that the journal stores: a token bucket, which is a rate limit, and a daily
 * quota.
 */
import { environment } from '@purser/runtime/environment'

const DAY_MS = 86_400_000

/** Allows a burst of `limit`, then `perSecond`. */
export function createTokenBucket(limit: number, perSecond: number) {
  let tokens = limit
  let refilledAt = environment.monotonicNow()
  return {
    take(): boolean {
      const now = environment.monotonicNow()
      tokens = Math.min(limit, tokens + ((now - refilledAt) / 1_000) * perSecond)
      refilledAt = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}

export function createDailyQuota(limit: number) {
  let day = 0
  let count = 0
  return {
    take(now: number): boolean {
      const today = Math.trunc(now / DAY_MS)
      if (today !== day) count = 0
      day = today
      count += 1
      return count <= limit
    },
  }
}
