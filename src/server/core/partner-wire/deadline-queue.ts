/**
 * Who waits outside, in the order in which they were last heard, and until when each of them can wait. Whoever waits is heard
 * when there is room, and else when its own time is over. The times of those who came all at once lie evenly apart, and so
 * do those of their next waits.
 *
 * hopeful ──there is room──► heard
 *    └──too long for a yes──► late ──its time──► heard
 */

/** In milliseconds of waiting, since one was last heard. */
export interface QueueDeadlines {
  /** Before that nobody's time is over: a line that is so short may be gone by then. */
  readonly minWaitMs: number
  /** Until then a yes can still come in time. */
  readonly usefulWaitMs: number
  /** Until then at the latest one is heard. */
  readonly maxWaitMs: number
}

export interface QueueEntryTimes {
  /** `world.elapsed()` when it was last heard. */
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

  /** Since when the first one that hopes has waited; undefined: nobody does, or somebody has given up hope. */
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

  /** All that wait, who leave. */
  clear(): Item[] {
    const all = [...this.late.keys(), ...this.inTime.keys()]
    this.late.clear()
    this.inTime.clear()
    return all
  }

  remove(item: Item): void {
    if (!this.inTime.delete(item)) this.late.delete(item)
  }

  /** The first one whose time is over. */
  takeDue(now: number): [Item, QueueEntryTimes] | undefined {
    return takeFirst(this.late, ({ dueAt }) => dueAt <= now) ?? takeFirst(this.inTime, ({ dueAt }) => dueAt <= now)
  }

  /** The first one for whom a yes can still come in time. */
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
