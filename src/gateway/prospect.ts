/**
 * Whether calls that wait outside (door.ts) would be worth reading. In a crowd of calls to one operator most would only hear that its
 * queue is full (G-7), at once, and their connections would bring the next ones: the refusals take the time of all others.
 */
import type { Link } from './link.ts'

/** A queue that is emptier than that is worth a visit: one connection may bring many calls. */
const WORTH_CALLS = 128
/** Milliseconds since its last call in which a link counts. Those that nobody calls are always free and say nothing. */
const IN_USE_MS = 2_000
/** Milliseconds between two tries while all are full, and calls per try: some may be for a link that nobody has called yet. */
const TRY_MS = 50
const TRY_CALLS = 64

/** How many calls may be let in now. */
export function createProspect(links: () => Iterable<Pick<Link, 'room' | 'usedAt'>>, now: () => number): () => number {
  let triedAt = Number.NEGATIVE_INFINITY
  return () => {
    const at = now()
    const rooms = [...links()].filter((link) => at - link.usedAt() < IN_USE_MS).map((link) => link.room())
    const most = rooms.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...rooms)
    if (most >= WORTH_CALLS) return most
    if (at - triedAt < TRY_MS) return 0
    triedAt = at
    return TRY_CALLS
  }
}
