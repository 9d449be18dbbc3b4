/**
 * Whether calls that wait outside (load-shedder.ts) would be worth reading. In a crowd of calls to one operator most would only hear that its
 * queue is full (G-7), at once, and their connections would bring the next ones: the refusals take the time of all others.
 */
import type { OperatorClient } from './operator-client.ts'

/** A queue that is emptier than that is worth a visit: one connection may bring many calls. */
const MIN_FREE_CALLS = 128
/** Milliseconds since its last call in which a link counts. Those that nobody calls are always free and say nothing. */
const IN_USE_MS = 2_000
/** Milliseconds between two tries while all are full, and calls per try: some may be for a link that nobody has called yet. */
const PROBE_INTERVAL_MS = 50
const PROBE_CALLS = 64

/** How many calls may be let in now. */
export function createDownstreamCapacity(
  clients: () => Iterable<Pick<OperatorClient, 'freeCapacity' | 'lastUsedAt'>>,
  now: () => number,
): () => number {
  let probedAt = Number.NEGATIVE_INFINITY
  return () => {
    const at = now()
    const capacities = [...clients()]
      .filter((client) => at - client.lastUsedAt() < IN_USE_MS)
      .map((client) => client.freeCapacity())
    const maxCapacity = capacities.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...capacities)
    if (maxCapacity >= MIN_FREE_CALLS) return maxCapacity
    if (at - probedAt < PROBE_INTERVAL_MS) return 0
    probedAt = at
    return PROBE_CALLS
  }
}
