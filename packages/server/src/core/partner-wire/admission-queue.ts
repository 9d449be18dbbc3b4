/**
 * Admission queue of the partner wire. Reads, each of one or several calls, wait here while the
 * server is full. They are not parsed, so a waiting call costs only its bytes.
 *
 * A waiting read starts when there is capacity, the oldest first. The calls of a read that has
 * waited too long to succeed fail just before their deadline. An earlier failure would let
 * their callers send the next calls at once.
 *
 * Invariant: a connection has at most one waiting read, and holds back a bounded number of bytes.
 *
 * States of a read:
 * - waiting: capacity → started; its connection closed → dropped; `usefulWaitMs` over → expired
 * - expired: its share of the time until `maxWaitMs` is over → failed
 */
import { environment } from '@purser/runtime/environment'
import { freeSlots } from './cooperative-scheduler.ts'

/** Milliseconds from the arrival of a call. */
export interface AdmissionDeadlines {
  /** A call that waited longer can no longer succeed. */
  readonly usefulWaitMs: number
  /** The latest failure. */
  readonly maxWaitMs: number
}

export interface ArrivedRead {
  /** The monotonic time of the first byte. */
  readonly arrivedAt: number
  /** True if no caller waits for the answer. */
  isAbandoned(): boolean
  /** Both parse the read and return the number of its calls. `fail` answers them. */
  start(): number
  fail(): number
}

/** A started call takes about 100 ms. The rest of 4 s and of 4.75 s (W-20) is a reserve. */
const DEADLINES: AdmissionDeadlines = { usefulWaitMs: 2_000, maxWaitMs: 4_250 }
/** Milliseconds between two checks of the queue while no call can start or fail. */
const CHECK_INTERVAL_MS = 4
/** Calls that fail in one turn of the event loop, about 5 ms. Started calls run in between. */
const MAX_FAILED_PER_TURN = 512

export class AdmissionQueue {
  /** Calls that failed here since the start. */
  shedCalls = 0
  private readonly deadlines: AdmissionDeadlines
  private readonly capacities = [freeSlots]
  private downstreamCapacity = () => Number.POSITIVE_INFINITY
  private readonly waiting = new Fifo<ArrivedRead>()
  private readonly expired = new DueReads()
  private isScheduled = false
  private checkedAt = 0
  /** Expired calls that may fail now; the fraction is kept for the next check. */
  private failures = 0

  constructor(deadlines = DEADLINES) {
    this.deadlines = deadlines
  }

  /** `capacity` returns the number of calls that a limit still allows. */
  addCapacity(capacity: () => number): void {
    this.capacities.push(capacity)
  }

  /**
   * Sets a function that returns how many calls a gateway's operators would accept now. The queue
   * applies this limit only while calls wait: a slow operator delays no calls to other operators.
   */
  setDownstreamCapacity(downstreamCapacity: () => number): void {
    this.downstreamCapacity = downstreamCapacity
  }

  get size(): number {
    return this.waiting.size + this.expired.size
  }

  /** True: the read has started. Otherwise it waits. */
  admit(read: ArrivedRead): boolean {
    const isFree = this.size === 0 && this.remainingCapacity() > 0
    if (isFree) read.start()
    else this.enqueue(read)
    return isFree
  }

  private enqueue(read: ArrivedRead): void {
    const now = environment.monotonicNow()
    if (this.isExpired(read, now)) this.expire(read)
    else this.waiting.push(read)
    if (this.isScheduled) return
    this.checkedAt = now
    this.scheduleCheck(0)
  }

  private isExpired({ arrivedAt }: ArrivedRead, now: number): boolean {
    return now - arrivedAt > this.deadlines.usefulWaitMs
  }

  private expire(read: ArrivedRead): void {
    this.expired.push(read, read.arrivedAt + this.deadlines.maxWaitMs)
  }

  private remainingCapacity(): number {
    let least = Number.POSITIVE_INFINITY
    for (const capacity of this.capacities) least = Math.min(least, capacity())
    return least
  }

  private scheduleCheck(processed: number): void {
    this.isScheduled = true
    const check = () => this.check(environment.monotonicNow())
    if (processed > 0) environment.nextTurn(check)
    else environment.setTimer(CHECK_INTERVAL_MS, check)
  }

  private check(now: number): void {
    const processed = this.startWaiting(now) + this.failExpired(now)
    this.checkedAt = now
    this.isScheduled = false
    if (this.size > 0) this.scheduleCheck(processed)
  }

  private startWaiting(now: number): number {
    const available = Math.min(this.remainingCapacity(), this.downstreamCapacity())
    let started = 0
    for (let read = this.waiting.first; read !== undefined; read = this.waiting.first) {
      const isExpired = this.isExpired(read, now)
      if (!isExpired && started >= available) break
      this.waiting.shift()
      if (isExpired) this.expire(read)
      else {
        if (!read.isAbandoned()) started += Math.max(1, read.start())
      }
    }
    return started
  }

  /**
   * The failures are spread evenly over the time until the deadline of the newest read. Otherwise
   * callers whose calls arrived together would all send again together, and fail late.
   */
  private failExpired(now: number): number {
    const { size, latestDueAt } = this.expired
    if (size === 0) return 0
    this.failures += (size * (now - this.checkedAt)) / Math.max(1, latestDueAt - now)
    let failed = 0
    while (failed < MAX_FAILED_PER_TURN) {
      const read = this.expired.takeFirst(this.failures >= 1 ? Number.POSITIVE_INFINITY : now)
      if (read === undefined) break
      this.failures = Math.max(0, this.failures - 1)
      if (!read.isAbandoned()) failed += read.fail()
    }
    this.failures = Math.min(this.failures, MAX_FAILED_PER_TURN)
    return failed
  }
}

const SLOT_MS = 25

/** Calls in slots of their deadlines, because slow calls expire after younger ones. */
class DueReads {
  size = 0
  latestDueAt = 0
  private readonly slots = new Map<number, ArrivedRead[]>()
  private firstSlot = Number.POSITIVE_INFINITY

  push(read: ArrivedRead, dueAt: number): void {
    const slot = Math.floor(dueAt / SLOT_MS)
    const calls = this.slots.get(slot)
    if (calls === undefined) this.slots.set(slot, [read])
    else calls.push(read)
    this.firstSlot = Math.min(this.firstSlot, slot)
    this.latestDueAt = this.size === 0 ? dueAt : Math.max(this.latestDueAt, dueAt)
    this.size += 1
  }

  /** Returns a call of the earliest slot that begins before `until`. */
  takeFirst(until: number): ArrivedRead | undefined {
    while (this.size > 0 && !this.slots.has(this.firstSlot)) this.firstSlot += 1
    if (this.size === 0 || this.firstSlot * SLOT_MS > until) return undefined
    const calls = this.slots.get(this.firstSlot)
    const read = calls?.pop()
    this.size -= 1
    if (calls?.length === 0) this.slots.delete(this.firstSlot)
    if (this.size === 0) this.firstSlot = Number.POSITIVE_INFINITY
    return read
  }
}

/** An array would move all its items at each `shift`. */
class Fifo<Item> {
  private items: (Item | undefined)[] = []
  private head = 0

  get size(): number {
    return this.items.length - this.head
  }

  get first(): Item | undefined {
    return this.items[this.head]
  }

  push(item: Item): void {
    this.items.push(item)
  }

  shift(): void {
    this.items[this.head++] = undefined
    if (this.head * 2 < this.items.length) return
    this.items = this.items.slice(this.head)
    this.head = 0
  }
}
