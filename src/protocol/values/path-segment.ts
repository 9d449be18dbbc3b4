/**
 * Ids as parts of the path of a URL.
 *
 * Every client takes the parts `.` and `..` for steps between folders, percent-encoded too (WHATWG
 * URL): `/players/../bets` becomes `/bets`, the list of all bets. Such an id is refused where it is
 * made. Where the wire brings one, a path has it with a tail that no id is long enough to have (I-8).
 */
const DOTS = /^\.{1,2}$/
const TAIL = '~'.repeat(64)
/** In a path: a slash is before it, and a slash, the query or the end after it. */
const TAILED = new RegExp(`/(\\.{1,2})${TAIL}(?=[/?]|$)`, 'g')
const IN_PATH: Readonly<Record<string, string>> = { '.': '%2E', '..': '%2E%2E' }

export const NOT_PATH_SAFE = 'must not be "." or "..", because the path of a URL cannot contain it'

/** False for `.` and `..`. */
export function isPathSafe(id: string): boolean {
  return !DOTS.test(id)
}

/** An id, percent-encoded, as a part of a path. */
export function encodePathSegment(id: string): string {
  return isPathSafe(id) ? encodeURIComponent(id) : id + TAIL
}

/** The id in a part of a path that is already decoded. */
export function decodePathSegment(segment: string): string {
  return segment.endsWith(TAIL) && !isPathSafe(segment.slice(0, -TAIL.length))
    ? segment.slice(0, -TAIL.length)
    : segment
}

/** A URL that a server has received, with the dots that `encodePathSegment` has made longer. */
export function restoreDotSegments(url: string): string {
  return url.includes(TAIL) ? url.replaceAll(TAILED, (_part, dots: string) => `/${IN_PATH[dots]}`) : url
}
