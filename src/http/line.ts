/**
 * Who waits outside, in the order in which they were last heard, and until when each of them can wait. Whoever waits is heard
 * when there is room, and else when its own time is over. The times of those who came all at once lie evenly apart, and so
 * do those of their next waits.
 *
 * hopeful ──there is room──► heard
 *    └──too long for a yes──► late ──its time──► heard
 */

/** In milliseconds of waiting, since one was last heard. */
export interface Patience {
  /** Before that nobody's time is over: a line that is so short may be gone by then. */
  readonly leastMs: number
  /** Until then a yes can still come in time. */
  readonly hopeMs: number
  /** Until then at the latest one is heard. */
  readonly mostMs: number
}

export interface Waited {
  /** `world.elapsed()` when it was last heard. */
  readonly since: number
  readonly dueAt: number
}

export class Line<Who> {
  private readonly patience: Patience
  private readonly hopeful = new Map<Who, Waited>()
  private readonly late = new Map<Who, Waited>()

  constructor(patience: Patience) {
    this.patience = patience
  }

  get size(): number {
    return this.hopeful.size + this.late.size
  }

  get hopes(): boolean {
    return this.hopeful.size > 0
  }

  /** Since when the first one that hopes has waited; undefined: nobody does, or somebody has given up hope. */
  get longest(): number | undefined {
    const [first] = this.hopeful.values()
    return this.late.size > 0 ? undefined : first?.since
  }

  has(who: Who): boolean {
    return this.hopeful.has(who) || this.late.has(who)
  }

  join(who: Who, now: number, waitMs = this.patience.mostMs): void {
    this.hopeful.set(who, { since: now, dueAt: now + waitMs })
  }

  joinTogether(crowd: readonly Who[], now: number): void {
    const { leastMs, mostMs } = this.patience
    const apartMs = (mostMs - leastMs) / crowd.length
    for (const [i, who] of crowd.entries()) this.join(who, now, leastMs + (i + 1) * apartMs)
  }

  /** All that wait, who leave. */
  disperse(): Who[] {
    const all = [...this.late.keys(), ...this.hopeful.keys()]
    this.late.clear()
    this.hopeful.clear()
    return all
  }

  leave(who: Who): void {
    if (!this.hopeful.delete(who)) this.late.delete(who)
  }

  /** The first one whose time is over. */
  takeDue(now: number): [Who, Waited] | undefined {
    return take(this.late, ({ dueAt }) => dueAt <= now) ?? take(this.hopeful, ({ dueAt }) => dueAt <= now)
  }

  /** The first one for whom a yes can still come in time. */
  takeHopeful(now: number): [Who, Waited] | undefined {
    for (;;) {
      const gone = take(this.hopeful, ({ since }) => now - since > this.patience.hopeMs)
      if (gone === undefined) return take(this.hopeful, () => true)
      this.late.set(...gone)
    }
  }
}

function take<Who>(line: Map<Who, Waited>, isWanted: (waited: Waited) => boolean): [Who, Waited] | undefined {
  const [first] = line
  if (first === undefined || !isWanted(first[1])) return undefined
  line.delete(first[0])
  return first
}
