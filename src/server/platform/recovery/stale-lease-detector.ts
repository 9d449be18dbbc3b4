/**
 * What another process has begun counts as abandoned only for a process that has itself seen it unchanged for a whole lease, on its own
 * monotonic clock (C-12). No step of the database's clock, and none of a host's, makes two processes do one thing at once.
 */

/** When something was read, in milliseconds of a clock that nobody sets. */
export interface ReadingSpan {
  readonly begun: number
  readonly ended: number
}

/**
 * Takes all that is there, by whomever; gives those that were seen unchanged for the lease: from the end of the reading that saw them first to the
 * begin of the last one. Whatever changes has another key.
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
