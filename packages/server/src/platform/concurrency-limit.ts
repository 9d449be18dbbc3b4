/**
 * Adaptive limit of concurrent calls to a partner.
 *
 * A distant partner answers each call late and can answer many at once; a busy partner only gets
 * slower with more calls. A full limit therefore grows with each answer that is about as fast as
 * the fastest ones. It shrinks with each slower answer, and halves after a call without an answer.
 */

/** Smallest limit, unless `bound` is lower. */
const MIN_LIMIT = 64
/** An answer is fast up to the fastest time multiplied by this factor, plus the slack. */
const QUICK_FACTOR = 2
const QUICK_SLACK_MS = 25
/**
 * The fastest time is forgotten after one to two of these periods, because a partner may move
 * farther away.
 */
const MEMORY_MS = 30_000

/** Times are in milliseconds. */
export interface ConcurrencyLimit {
  size(): number
  /** `underWay` includes the new call. */
  sent(underWay: number, now: number): void
  answered(durationMs: number, now: number): void
  unanswered(): void
}

export function createConcurrencyLimit(bound: number): ConcurrencyLimit {
  const minLimit = Math.min(MIN_LIMIT, bound)
  let size = minLimit
  let fullAt = Number.NEGATIVE_INFINITY
  let since = Number.NEGATIVE_INFINITY
  let quickest = Number.POSITIVE_INFINITY
  let quickestBefore = Number.POSITIVE_INFINITY
  const remember = (durationMs: number, now: number) => {
    if (now - since >= MEMORY_MS) [since, quickestBefore, quickest] = [now, quickest, Number.POSITIVE_INFINITY]
    quickest = Math.min(quickest, durationMs)
  }
  return {
    size: () => size,
    sent(underWay, now) {
      if (underWay >= size) fullAt = now
    },
    answered(durationMs, now) {
      remember(durationMs, now)
      const isQuick = durationMs <= Math.min(quickest, quickestBefore) * QUICK_FACTOR + QUICK_SLACK_MS
      const wasFull = fullAt >= now - durationMs - QUICK_SLACK_MS // at some time during the call
      if (!isQuick) size = Math.max(size - 1, minLimit)
      else if (wasFull) size = Math.min(size + 1, bound)
    },
    unanswered() {
      size = Math.max(Math.floor(size / 2), minLimit)
    },
  }
}
