/**
 * A clock that advances only when the test advances it. Timers fire in order, and each one only
 * after all real work of earlier timers (SQL statements, HTTP calls) has finished.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { timeouts } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import type { DelivererTimers } from '../../src/platform/delivery/deliverer.ts'

export interface FakeTime extends Clock {
  readonly timers: DelivererTimers
  /** Advances the clock. Each timer that becomes due fires at its own time. */
  advance(milliseconds: number): Promise<void>
  /**
   * Advances the clock in one step, as for a frozen process. The timers that became due fire at the
   * end.
   */
  leap(milliseconds: number): Promise<void>
  /** Fires the timers that are due now, and waits until all real work has finished. */
  settle(): Promise<void>
  /** Number of wake-ups that `timers` still has to fire. */
  sleepers(): number
  /** Adds a condition that counts as unfinished work; returns its removal. */
  watch(isBusy: () => boolean | Promise<boolean>): () => void
  /**
   * Adds the earliest time, in milliseconds, at which anything can change. Timers that only poll
   * each second do not fire before it. Returns the removal.
   */
  idle(until: () => Promise<number>): () => void
  /** The time-outs of calls use this clock from now on; returns a function that restores them. */
  takeOverTimeOuts(): () => void
}

/** After this number of idle turns of the event loop, no loopback connection has data left. */
const QUIET_TURNS = 25
/** Real milliseconds that work may take to finish, so that an endless wait fails with a message. */
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
      // a time-out fires exactly at its time
      const areWakes = next.every((timer) => pending.wakes.has(timer))
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

/**
 * The next timers to fire, up to a time. All of one moment fire together, because most belong to
 * ended calls.
 */
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
