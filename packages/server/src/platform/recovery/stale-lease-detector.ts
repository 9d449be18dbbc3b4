/**
 * Detects work that another process has abandoned.
 *
 * A process treats work as abandoned only after it has seen the work unchanged for a whole lease,
 * on its own monotonic clock (C-12). Therefore no step of a wall clock makes two processes do the
 * same work.
 */

/** Time span of a read, in monotonic milliseconds. */
export interface ReadingSpan {
  readonly begun: number
  readonly ended: number
}

/**
 * `items` has all work in progress. Returns the items that stayed unchanged for the lease. The
 * lease counts from the end of the first read of an item to the start of the last read. A changed
 * item must have a new key.
 */
export function detectStaleLeases<Item>(
  keyOf: (item: Item) => string,
  leaseMs: number,
): (items: readonly Item[], read: ReadingSpan) => Item[] {
  let since = new Map<string, number>()
  return (items, { begun, ended }) => {
    const before = since
    since = new Map(items.map((item) => [keyOf(item), before.get(keyOf(item)) ?? ended]))
    return items.filter((item) => begun - (since.get(keyOf(item)) ?? ended) >= leaseMs)
  }
}
