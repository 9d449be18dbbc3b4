/**
 * How many calls may be under way to a partner at once: as many as its latency asks for. A far partner answers each call late
 * and many at once; a busy one only gets slower by more of them. So the window grows with each answer that took about as long as
 * the quickest ones, while it is full, and shrinks with each that took longer. It halves when a call has no answer.
 */

/** Calls at once that every partner is trusted with, unless the bound is lower. */
const MIN_LIMIT = 64
/** An answer that took so many times as long as the quickest, and so many milliseconds, is still a quick one. */
const QUICK_FACTOR = 2
const QUICK_SLACK_MS = 25
/** Milliseconds for which the quickest answer counts, and at most as long again: a partner may move farther away. */
const MEMORY_MS = 30_000

/** Times in milliseconds. */
export interface ConcurrencyLimit {
  size(): number
  /** A call was sent, and so many are under way now. */
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
      const wasFull = fullAt >= now - durationMs - QUICK_SLACK_MS // at some time while it was under way
      if (!isQuick) size = Math.max(size - 1, minLimit)
      else if (wasFull) size = Math.min(size + 1, bound)
    },
    unanswered() {
      size = Math.max(Math.floor(size / 2), minLimit)
    },
  }
}
