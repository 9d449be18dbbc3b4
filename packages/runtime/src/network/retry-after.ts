/** The header `Retry-After` (RFC 9110): whole seconds or an HTTP date. */
const MS_PER_SECOND = 1_000

/** Milliseconds from `now`, at most `maxMs`; 0 for an absent, past or unreadable header. */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: Date, maxMs: number): number {
  const text = String(header ?? '').trim()
  const isSeconds = /^\d{1,9}$/.test(text)
  const delayMs = isSeconds ? Number.parseInt(text, 10) * MS_PER_SECOND : Date.parse(text) - now.getTime()
  return delayMs > 0 ? Math.min(delayMs, maxMs) : 0
}
