/**
 * A virtual environment, whose time moves only in steps, from timer to timer.
 *
 * Invariant: before the time moves, all work has ended or waits for a later time. Order, random
 * numbers and ids follow from the seed. The environment replaces globals of the process, because
 * the embedded database reads the time from them.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type Cancel, environment, replaceEnvironment } from '@purser/runtime/environment'
import { createRandom, type Random } from '@purser/runtime/seeded-random'
import { readShownOffset } from './wall-clocks.ts'

/** 1 March 2026. */
const NOON = Date.UTC(2026, 2, 1, 12)

/** The limit of turns of the event loop in one step; a statement takes one or two. */
const MAX_TURNS = 100_000

interface DueTimer {
  readonly at: number
  /** Timers for the same time run in the order of their creation. */
  readonly number: number
  readonly run: () => void
}

export interface VirtualEnvironment {
  /** Milliseconds since the start. */
  elapsed(): number
  after(milliseconds: number, run: () => void): Cancel
  /**
   * Runs the next timer until its work waits. False if no timer is due before `until`; then the
   * time is `until`.
   */
  step(until: number): Promise<boolean>
  /** Undefined without a timer. */
  dueAt(): number | undefined
  /** Resolves when all work waits for a later time. */
  rest(): Promise<void>
  /** Restores the real environment. */
  end(): void
}

/** The effect of `setTimeout`: none, or a timer in the virtual time. */
type Alarms = 'none' | 'timers'

/**
 * `isBusy`: work is in progress that no virtual timer ends, such as a statement.
 *
 * `alarms`: the embedded database sets timers for slow statements, which do not occur here. `pg`
 * sets them against a silent server. `startsAt`: milliseconds since 1970.
 */
export function enterVirtualEnvironment(
  seed: number,
  isBusy: () => boolean,
  alarms: Alarms = 'none',
  startsAt = NOON,
): VirtualEnvironment {
  const chance = createRandom(seed, 'what the processes draw')
  const real = { ...environment }
  const queue = createQueue()
  let now = 0
  const after = (milliseconds: number, run: () => void) => queue.add(now + Math.max(0, Math.ceil(milliseconds)), run)
  const leave = [
    replaceEnvironment({
      now: () => startsAt + now + readShownOffset(),
      monotonicNow: () => now,
      setTimer: after,
      setRepeatingTimer: (milliseconds, run) => every(after, milliseconds, run),
      nextTurn: (run) => void after(0, run),
      random: () => chance.below(2 ** 32) / 2 ** 32,
      uuid: () => drawUuid(chance),
      randomBytes: (size) => drawBytes(chance, size),
    }),
    replaceGlobals(startsAt, () => now, chance, alarms === 'timers' ? after : () => undefined),
  ]
  const rest = async () => {
    for (let turns = 1; turns === 1 || isBusy(); turns++) {
      await new Promise<void>((done) => real.nextTurn(done))
      if (turns > MAX_TURNS) throw new Error('a transaction waits for the time to pass')
    }
  }
  return {
    elapsed: () => now,
    after,
    rest,
    dueAt: () => queue.first()?.at,
    async step(until) {
      const next = queue.take(until)
      now = next?.at ?? until
      if (next === undefined) return false
      next.run()
      await rest()
      return true
    },
    end() {
      for (const one of leave) one()
    },
  }
}

function every(after: VirtualEnvironment['after'], milliseconds: number, run: () => void): Cancel {
  const again = () => {
    cancel = after(milliseconds, again)
    run()
  }
  let cancel = after(milliseconds, again)
  return () => cancel()
}

/** A heap, because most timers are cancelled before they are due. */
function createQueue() {
  const heap: DueTimer[] = []
  const cancelled = new Set<number>()
  let added = 0
  const isBefore = (a: DueTimer, b: DueTimer) => a.at < b.at || (a.at === b.at && a.number < b.number)
  const up = (from: number) => {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1
      if (!swapIfBefore(heap, i, parent, isBefore)) return
      i = parent
    }
  }
  const down = () => {
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2]
      if (left >= heap.length) return
      const child = right < heap.length && isBefore(heap[right] as DueTimer, heap[left] as DueTimer) ? right : left
      if (!swapIfBefore(heap, child, i, isBefore)) return
      i = child
    }
  }
  const takeFirst = (): DueTimer | undefined => {
    const [first, last] = [heap[0], heap.pop()]
    if (last !== undefined && heap.length > 0) {
      heap[0] = last
      down()
    }
    return first
  }
  /** Removes cancelled timers. */
  const first = (): DueTimer | undefined => {
    while (heap[0] !== undefined && cancelled.delete(heap[0].number)) takeFirst()
    return heap[0]
  }
  return {
    add(at: number, run: () => void): Cancel {
      const number = added++
      heap.push({ at, number, run })
      up(heap.length - 1)
      let isOver = false
      return () => {
        if (!isOver) cancelled.add(number)
        isOver = true
      }
    },
    first,
    take(until: number): DueTimer | undefined {
      const next = first()
      return next === undefined || next.at > until ? undefined : takeFirst()
    },
  }
}

function swapIfBefore(
  heap: DueTimer[],
  a: number,
  b: number,
  isBefore: (a: DueTimer, b: DueTimer) => boolean,
): boolean {
  const [one, other] = [heap[a] as DueTimer, heap[b] as DueTimer]
  if (!isBefore(one, other)) return false
  heap[a] = other
  heap[b] = one
  return true
}

type SetAlarm = (milliseconds: number, run: () => void) => Cancel | undefined

/** The database's libraries and the tokens look these globals up at each call. */
function replaceGlobals(startsAt: number, elapsed: () => number, chance: Random, setAlarm: SetAlarm): () => void {
  const before = { now: Date.now, bytes: crypto.randomBytes, uuid: crypto.randomUUID }
  const { randomBytes, randomUUID } = {
    randomBytes: (size: number) => drawBytes(chance, size),
    randomUUID: () => drawUuid(chance),
  }
  const { setTimeout: alarm, clearTimeout: clear } = globalThis
  const put = (now: () => number, others: object) => {
    Object.assign(Date, { now })
    Object.assign(crypto, others)
    syncBuiltinESMExports()
  }
  put(() => startsAt + elapsed() + readShownOffset(), { randomBytes, randomUUID })
  Object.defineProperty(performance, 'now', { value: elapsed, configurable: true })
  Object.assign(globalThis, {
    setTimeout: (run: () => void, milliseconds: number) => setAlarm(milliseconds, run),
    clearTimeout: (set: unknown) => (typeof set === 'function' ? set() : clear(set as NodeJS.Timeout)),
  })
  return () => {
    Object.assign(globalThis, { setTimeout: alarm, clearTimeout: clear })
    put(before.now, { randomBytes: before.bytes, randomUUID: before.uuid })
    Reflect.deleteProperty(performance, 'now')
  }
}

function drawBytes(chance: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => chance.below(256)))
}

function drawUuid(chance: Random): string {
  const digits = Array.from({ length: 32 }, () => chance.below(16).toString(16)).join('')
  const [a, b, c, d, e] = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(13, 16),
    digits.slice(17, 20),
    digits.slice(20),
  ]
  return `${a}-${b}-4${c}-8${d}-${e}`
}
