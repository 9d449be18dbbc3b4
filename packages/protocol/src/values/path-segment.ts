/**
 * Ids as segments of a URL path (I-8).
 *
 * HTTP clients resolve the segments `.` and `..`, even percent-encoded (WHATWG URL):
 * `/players/../bets` becomes `/bets`. New ids must not be `.` or `..`. If a call contains such an
 * id, its segment gets a tail that makes it longer than any id.
 */
const DOTS = /^\.{1,2}$/
const TAIL = '~'.repeat(64)
/** Matches a whole segment: a slash precedes it, and a slash, the query or the end follows. */
const TAILED = new RegExp(`/(\\.{1,2})${TAIL}(?=[/?]|$)`, 'g')
const IN_PATH: Readonly<Record<string, string>> = { '.': '%2E', '..': '%2E%2E' }

export const NOT_PATH_SAFE = 'must not be "." or "..", because the path of a URL cannot contain it'

export function isPathSafe(id: string): boolean {
  return !DOTS.test(id)
}

export function encodePathSegment(id: string): string {
  return isPathSafe(id) ? encodeURIComponent(id) : id + TAIL
}

/** `segment` is already percent-decoded. */
export function decodePathSegment(segment: string): string {
  return segment.endsWith(TAIL) && !isPathSafe(segment.slice(0, -TAIL.length))
    ? segment.slice(0, -TAIL.length)
    : segment
}

/** Reverses the tails of `encodePathSegment` in a received URL. */
export function restoreDotSegments(url: string): string {
  return url.includes(TAIL) ? url.replaceAll(TAILED, (_part, dots: string) => `/${IN_PATH[dots]}`) : url
}
