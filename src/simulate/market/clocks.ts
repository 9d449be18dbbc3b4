/**
 * The clocks on the walls of a market: each may be set, forward and back, and goes on from there. What something takes is measured on
 * another one, which nobody sets. For the whole process, as the virtual world is.
 */

/** The platform tells the time by its database (W-19): its own clock is not asked. */
export const CLOCKS = ['wallet', 'database of the wallet', 'database of the platform'] as const
export type ClockName = (typeof CLOCKS)[number]

const ahead = new Map<ClockName, number>()
let shown: ClockName | undefined

/** Milliseconds by which a clock is ahead of the time. */
export function aheadOf(clock: ClockName): number {
  return ahead.get(clock) ?? 0
}

export function setClock(clock: ClockName, byMs: number): void {
  ahead.set(clock, aheadOf(clock) + byMs)
}

/** All are right again. */
export function resetClocks(): void {
  ahead.clear()
}

/** While `work` runs, whoever asks JavaScript for the time sees this clock. */
export function showing<T>(clock: ClockName, work: () => T): T {
  const before = shown
  shown = clock
  try {
    return work()
  } finally {
    shown = before
  }
}

/** By how much the clock that is shown now is ahead. */
export function shownAhead(): number {
  return shown === undefined ? 0 : aheadOf(shown)
}
