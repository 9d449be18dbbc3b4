/**
 * Queue with deadlines: each entry leaves when there is room for it, or else at its deadline.
 *
 * The load shedder keeps its paused connections here, in the order of their last poll. Connections
 * that are added together get evenly spread deadlines, which stay apart at the next polls too.
 *
 * States of an entry:
 * - in time: room is available → taken; waited longer than `usefulWaitMs` → late
 * - late: its deadline passes → taken
 */

/** Milliseconds of waiting since the last poll. */
export interface QueueDeadlines {
  /** The earliest deadline in `enqueueAll`: a short queue may be empty by then. */
  readonly minWaitMs: number
  /** After this time an entry can no longer succeed. */
  readonly usefulWaitMs: number
  /** The latest deadline. */
  readonly maxWaitMs: number
}

export interface QueueEntryTimes {
  /** The monotonic time of the last poll. */
  readonly since: number
  readonly dueAt: number
}

export class DeadlineQueue<Item> {
  private readonly deadlines: QueueDeadlines
  private readonly inTime = new Map<Item, QueueEntryTimes>()
  private readonly late = new Map<Item, QueueEntryTimes>()

  constructor(deadlines: QueueDeadlines) {
    this.deadlines = deadlines
  }

  get size(): number {
    return this.inTime.size + this.late.size
  }

  get hasInTime(): boolean {
    return this.inTime.size > 0
  }

  /** The start of the longest wait; undefined if the queue is empty or an entry is late. */
  get oldestSince(): number | undefined {
    const [first] = this.inTime.values()
    return this.late.size > 0 ? undefined : first?.since
  }

  has(item: Item): boolean {
    return this.inTime.has(item) || this.late.has(item)
  }

  enqueue(item: Item, now: number, waitMs = this.deadlines.maxWaitMs): void {
    this.inTime.set(item, { since: now, dueAt: now + waitMs })
  }

  enqueueAll(items: readonly Item[], now: number): void {
    const { minWaitMs, maxWaitMs } = this.deadlines
    const intervalMs = (maxWaitMs - minWaitMs) / items.length
    for (const [i, item] of items.entries()) this.enqueue(item, now, minWaitMs + (i + 1) * intervalMs)
  }

  clear(): Item[] {
    const all = [...this.late.keys(), ...this.inTime.keys()]
    this.late.clear()
    this.inTime.clear()
    return all
  }

  remove(item: Item): void {
    if (!this.inTime.delete(item)) this.late.delete(item)
  }

  /** Returns the first entry whose deadline has passed. */
  takeDue(now: number): [Item, QueueEntryTimes] | undefined {
    return takeFirst(this.late, ({ dueAt }) => dueAt <= now) ?? takeFirst(this.inTime, ({ dueAt }) => dueAt <= now)
  }

  /** Returns the first entry that can still succeed. */
  takeInTime(now: number): [Item, QueueEntryTimes] | undefined {
    for (;;) {
      const expired = takeFirst(this.inTime, ({ since }) => now - since > this.deadlines.usefulWaitMs)
      if (expired === undefined) return takeFirst(this.inTime, () => true)
      this.late.set(...expired)
    }
  }
}

function takeFirst<Item>(
  entries: Map<Item, QueueEntryTimes>,
  matches: (times: QueueEntryTimes) => boolean,
): [Item, QueueEntryTimes] | undefined {
  const [first] = entries
  if (first === undefined || !matches(first[1])) return undefined
  entries.delete(first[0])
  return first
}
