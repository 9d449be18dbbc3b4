/** An answer that may be some seconds old, for whoever asks without a key: however many ask, the database is asked once. */

interface CachedAnswer<T> {
  readonly answer: T
  readonly at: number
}

/**
 * The same question, asked at most once at a time, and not again for so many milliseconds of `now` after an answer. A failure is
 * told to those who wait for it, and is not kept.
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
