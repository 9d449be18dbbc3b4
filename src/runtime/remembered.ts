/** An answer that may be some seconds old, for whoever asks without a key: however many ask, the database is asked once. */

interface Kept<T> {
  readonly answer: T
  readonly at: number
}

/**
 * The same question, asked at most once at a time, and not again for so many milliseconds of `now` after an answer. A failure is
 * told to those who wait for it, and is not kept.
 */
export function remembered<T>(ask: () => Promise<T>, milliseconds: number, now: () => number): () => Promise<T> {
  let kept: Kept<T> | undefined
  let asking: Promise<T> | undefined
  const askNow = async () => {
    try {
      const answer = await ask()
      kept = { answer, at: now() }
      return answer
    } finally {
      asking = undefined
    }
  }
  return async () => {
    if (kept !== undefined && Math.abs(now() - kept.at) < milliseconds) return kept.answer
    asking ??= askNow()
    return asking
  }
}
