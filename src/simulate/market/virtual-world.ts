/**
 * A world whose time passes only when it is told to: what is due next runs next, and before the time goes on everything that it began has
 * ended or waits for a later time. Order, chance and ids follow from the seed. For the whole process, so that the embedded database
 * is in it too, which asks JavaScript's globals for the time.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { createRandom, type Random } from '../../runtime/random.ts'
import { type Cancel, takeOver, world } from '../../runtime/world.ts'
import { shownAhead } from './clocks.ts'

/** 1 March 2026. */
const NOON = Date.UTC(2026, 2, 1, 12)

/** Turns of the event loop in which everything comes to rest; a statement takes one or two. */
const MOST_TURNS = 100_000

interface Due {
  readonly at: number
  /** Of two for one time, who came first goes first. */
  readonly number: number
  readonly run: () => void
}

export interface VirtualWorld {
  /** Milliseconds since the beginning. */
  elapsed(): number
  after(milliseconds: number, run: () => void): Cancel
  /** Runs what is due next, and resolves when it has come to rest. False when that is later than `until`: then it is `until`. */
  step(until: number): Promise<boolean>
  /** When the next is due; undefined: nothing is. */
  dueAt(): number | undefined
  /** Resolves when everything that runs now waits for a later time. */
  rest(): Promise<void>
  /** Gives the real world back. */
  end(): void
}

/** What `setTimeout` does in this world: nothing, or what it says, in this world's time. */
type Alarms = 'none' | 'timers'

/**
 * `isBusy`: something is under way that no timer of this world will end, such as a statement. `alarms`: the embedded database sets some for
 * statements that take too long, which none does here; those of `pg` are what a wallet does about a server that is silent. `startsAt`:
 * milliseconds since 1970.
 */
export function enterVirtualWorld(
  seed: number,
  isBusy: () => boolean,
  alarms: Alarms = 'none',
  startsAt = NOON,
): VirtualWorld {
  const chance = createRandom(seed, 'what the processes draw')
  const real = { ...world }
  const queue = createQueue()
  let now = 0
  const after = (milliseconds: number, run: () => void) => queue.add(now + Math.max(0, Math.ceil(milliseconds)), run)
  const leave = [
    takeOver({
      wall: () => startsAt + now + shownAhead(),
      elapsed: () => now,
      after,
      every: (milliseconds, run) => every(after, milliseconds, run),
      nextTurn: (run) => void after(0, run),
      chance: () => chance.below(2 ** 32) / 2 ** 32,
      uuid: () => uuidFrom(chance),
      bytes: (size) => bytesFrom(chance, size),
    }),
    takeGlobals(startsAt, () => now, chance, alarms === 'timers' ? after : () => undefined),
  ]
  const rest = async () => {
    for (let turns = 1; turns === 1 || isBusy(); turns++) {
      await new Promise<void>((done) => real.nextTurn(done))
      if (turns > MOST_TURNS) throw new Error('a transaction waits for the time to pass')
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

function every(after: VirtualWorld['after'], milliseconds: number, run: () => void): Cancel {
  const again = () => {
    cancel = after(milliseconds, again)
    run()
  }
  let cancel = after(milliseconds, again)
  return () => cancel()
}

/** A heap: runs are full of timers that are cancelled before their time. */
function createQueue() {
  const heap: Due[] = []
  const cancelled = new Set<number>()
  let added = 0
  const isBefore = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.number < b.number)
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
      const child = right < heap.length && isBefore(heap[right] as Due, heap[left] as Due) ? right : left
      if (!swapIfBefore(heap, child, i, isBefore)) return
      i = child
    }
  }
  const takeFirst = (): Due | undefined => {
    const [first, last] = [heap[0], heap.pop()]
    if (last !== undefined && heap.length > 0) {
      heap[0] = last
      down()
    }
    return first
  }
  /** Those that were cancelled before it are gone. */
  const first = (): Due | undefined => {
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
    take(until: number): Due | undefined {
      const next = first()
      return next === undefined || next.at > until ? undefined : takeFirst()
    },
  }
}

function swapIfBefore(heap: Due[], a: number, b: number, isBefore: (a: Due, b: Due) => boolean): boolean {
  const [one, other] = [heap[a] as Due, heap[b] as Due]
  if (!isBefore(one, other)) return false
  heap[a] = other
  heap[b] = one
  return true
}

type SetAlarm = (milliseconds: number, run: () => void) => Cancel | undefined

/** Of the database's libraries, and of tokens. Looked up at each call by those who use them. */
function takeGlobals(startsAt: number, elapsed: () => number, chance: Random, setAlarm: SetAlarm): () => void {
  const before = { now: Date.now, bytes: crypto.randomBytes, uuid: crypto.randomUUID }
  const { randomBytes, randomUUID } = {
    randomBytes: (size: number) => bytesFrom(chance, size),
    randomUUID: () => uuidFrom(chance),
  }
  const { setTimeout: alarm, clearTimeout: clear } = globalThis
  const put = (now: () => number, others: object) => {
    Object.assign(Date, { now })
    Object.assign(crypto, others)
    syncBuiltinESMExports()
  }
  put(() => startsAt + elapsed() + shownAhead(), { randomBytes, randomUUID })
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

function bytesFrom(chance: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => chance.below(256)))
}

function uuidFrom(chance: Random): string {
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
