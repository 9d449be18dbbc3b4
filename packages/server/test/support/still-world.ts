/**
 * Replaces the environment of this process with a clock that only the test advances. Timers run in
 * order when they are due.
 */
import { replaceEnvironment } from '@purser/runtime/environment'

export interface StillWorld {
  pass(milliseconds: number): void
  /** Number of pending timers, including repeating ones. */
  waiting(): number
  giveBack(): void
}

interface Timer {
  at: number
  readonly run: () => void
  /** Milliseconds between two runs of a repeating timer. */
  readonly every?: number
}

export function standStill(): StillWorld {
  let now = 0
  const timers = new Set<Timer>()
  const add = (timer: Timer) => {
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const giveBack = replaceEnvironment({
    now: () => now,
    monotonicNow: () => now,
    setTimer: (ms, run) => add({ at: now + ms, run }),
    setRepeatingTimer: (ms, run) => add({ at: now + ms, run, every: ms }),
  })
  return {
    pass(milliseconds) {
      const end = now + milliseconds
      for (let next = first(timers, end); next !== undefined; next = first(timers, end)) {
        now = next.at
        if (next.every === undefined) timers.delete(next)
        else next.at += next.every
        next.run()
      }
      now = end
    },
    waiting: () => timers.size,
    giveBack,
  }
}

function first(timers: ReadonlySet<Timer>, until: number): Timer | undefined {
  return [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
}
