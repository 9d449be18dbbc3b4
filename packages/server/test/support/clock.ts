import type { Clock } from '@purser/runtime/clock'

/** The system's clock, plus the time that a test has added. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void
}

export function testClock(): TestClock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds
    },
  }
}
