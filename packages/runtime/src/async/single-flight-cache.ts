/**
 * Cache for an answer that may be some seconds old. Concurrent requests share one load, so
 * unauthenticated callers cost little.
 */

interface CachedAnswer<T> {
  readonly answer: T
  readonly at: number
}

/**
 * Loads again when the last answer is `milliseconds` old on the clock `now`. All waiting callers
 * receive a failure, which is not cached.
 */
export function cacheFor<T>(load: () => Promise<T>, milliseconds: number, now: () => number): () => Promise<T> {
  let cached: CachedAnswer<T> | undefined
  let inFlight: Promise<T> | undefined
  const loadOnce = async () => {
    try {
      const answer = await load()
      cached = { answer, at: now() }
      return answer
    } finally {
      inFlight = undefined
    }
  }
  return async () => {
    if (cached !== undefined && Math.abs(now() - cached.at) < milliseconds) return cached.answer
    inFlight ??= loadOnce()
    return inFlight
  }
}
