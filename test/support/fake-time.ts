/**
 * Time that stands still until the test moves it. Timers fire in order as it passes, and before each next one everything
 * real that they set off (statements, calls over HTTP) has come to rest.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { timeouts } from '../../src/runtime/async/timeout-signal.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { DelivererTimers } from '../../src/server/platform/delivery/deliverer.ts'

export interface FakeTime extends Clock {
  readonly timers: DelivererTimers
  /** Lets time pass: what falls due on the way happens when it is due. */
  advance(milliseconds: number): Promise<void>
  /** Time passes while nothing runs, as for a process that was frozen; what fell due meanwhile happens at the end. */
  leap(milliseconds: number): Promise<void>
  /** Lets happen what is due now, and waits until everything real has come to rest. */
  settle(): Promise<void>
  /** How many wake-ups are waited for through `timers`. */
  sleepers(): number
  /** Another reason not to be at rest yet; returns its removal. */
  watch(isBusy: () => boolean | Promise<boolean>): () => void
  /**
   * When something can happen at the earliest, in milliseconds: whoever only looks (and wakes each second for it) is woken
   * no sooner. Returns its removal.
   */
  idle(until: () => Promise<number>): () => void
  /** From now on the time-outs of calls run on this time too; returns the way back. */
  takeOverTimeOuts(): () => void
}

/** Turns of the event loop without any work after which loopback connections have nothing more to say. */
const QUIET_TURNS = 25
/** Real milliseconds that work may take to come to rest, so that a test that waits for ever says so. */
const REST_TIMEOUT_MS = 20_000

interface Timer {
  readonly at: number
  readonly wake: () => void
}

export function fakeTime(start = new Date('2031-05-16T12:00:00.000Z')): FakeTime {
  let now = start.getTime()
  const pending = { wakes: new Set<Timer>(), timeOuts: new Set<Timer>() }
  const checks = new Set<() => boolean | Promise<boolean>>()
  const hints = new Set<() => Promise<number>>()
  const add = (to: Set<Timer>, at: number, wake: () => void) => {
    const timer = { at, wake }
    to.add(timer)
    return () => void to.delete(timer)
  }
  const fire = async (until: number) => {
    await untilAtRest(checks)
    for (let next = earliest(pending, until); next.length > 0; next = earliest(pending, until)) {
      const areWakes = next.every((timer) => pending.wakes.has(timer)) // a time-out is never late
      for (const timers of Object.values(pending)) for (const timer of next) timers.delete(timer)
      const other = areWakes ? (earliest(pending, until)[0]?.at ?? until) : now
      now = Math.max(now, next[0]?.at ?? now, Math.min(other, await idleUntil(hints)))
      for (const timer of next) timer.wake()
      await untilAtRest(checks)
    }
  }
  return {
    now: () => new Date(now),
    timers: { at: (time, wake) => add(pending.wakes, time.getTime(), wake), elapsed: () => now },
    async advance(milliseconds) {
      const end = now + milliseconds
      await fire(end)
      now = end
    },
    async leap(milliseconds) {
      await untilAtRest(checks)
      now += milliseconds
      await fire(now)
    },
    settle: () => fire(now),
    sleepers: () => pending.wakes.size,
    watch(isBusy) {
      checks.add(isBusy)
      return () => void checks.delete(isBusy)
    },
    idle(until) {
      hints.add(until)
      return () => void hints.delete(until)
    },
    takeOverTimeOuts: () => replaceTimeOuts((ms, wake) => add(pending.timeOuts, now + ms, wake)),
  }
}

/** The timers to fire next, up to a time: those of one moment together, as most of them are of calls that are long over. */
function earliest({ wakes, timeOuts }: { wakes: Set<Timer>; timeOuts: Set<Timer> }, until: number): Timer[] {
  const due = [...wakes, ...timeOuts].filter((timer) => timer.at <= until)
  const first = Math.min(...due.map((timer) => timer.at))
  return due.filter((timer) => timer.at === first)
}

async function idleUntil(hints: ReadonlySet<() => Promise<number>>): Promise<number> {
  const times = await Promise.all([...hints].map((hint) => hint()))
  return times.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...times)
}

function replaceTimeOuts(after: (milliseconds: number, wake: () => void) => () => void): () => void {
  const original = timeouts.after
  timeouts.after = after
  return () => {
    timeouts.after = original
  }
}

async function untilAtRest(checks: ReadonlySet<() => boolean | Promise<boolean>>): Promise<void> {
  const giveUpAt = performance.now() + REST_TIMEOUT_MS
  do {
    if (performance.now() > giveUpAt) throw new Error(`nothing came to rest within ${REST_TIMEOUT_MS} ms`)
    for (let turn = 0; turn < QUIET_TURNS; turn++) await turnOfTheLoop()
  } while (await isBusy(checks))
}

async function isBusy(checks: ReadonlySet<() => boolean | Promise<boolean>>): Promise<boolean> {
  for (const check of checks) if (await check()) return true
  return false
}
