/** The header `Retry-After` (RFC 9110): whole seconds or an HTTP date. */
const MS_PER_SECOND = 1_000

/** Milliseconds from `now`, at most `longestMs`; 0 for a header that is absent, over, or cannot be read. */
export function readRetryAfter(given: string | readonly string[] | undefined, now: Date, longestMs: number): number {
  const text = String(given ?? '').trim()
  const isSeconds = /^\d{1,9}$/.test(text)
  const asked = isSeconds ? Number.parseInt(text, 10) * MS_PER_SECOND : Date.parse(text) - now.getTime()
  return asked > 0 ? Math.min(asked, longestMs) : 0
}
