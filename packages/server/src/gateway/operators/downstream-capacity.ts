/**
 * Number of calls for which the operators' queues have room. The admission queue starts no
 * more calls.
 *
 * Otherwise the full queue of one operator would reject a burst of calls at once (G-7). Each
 * rejection would admit the next call of the burst, and the rejections would delay calls to other
 * operators.
 */
import type { OperatorClient } from './operator-client.ts'

/** Smaller free capacity counts as none, because a connection may bring many calls. */
const MIN_FREE_CALLS = 128
/** Only clients with a recent call count; an idle client always has capacity. */
const IN_USE_MS = 2_000
/**
 * While every queue is full, this number of calls is admitted per interval, because some may be for
 * an idle operator.
 */
const PROBE_INTERVAL_MS = 50
const PROBE_CALLS = 64

/** The result gives the number of calls that may be admitted now. */
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
