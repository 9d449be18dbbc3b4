/**
 * The clocks on the walls of a market: each may be set, forward and back, and goes on from there. What something takes is measured on
 * another one, which nobody sets. For the whole process, as the virtual world is.
 */
import type { Scene } from './scene.ts'
import { type ListenerName, type PartyName, partiesOf } from './who.ts'

/** The platform tells the time by its database (W-19): its own clock is not asked. */
export type ClockName = ListenerName | `database of the ${PartyName}`

/** Those that are set in a market. */
export function clocksOf(scene: Scene): readonly ClockName[] {
  return partiesOf(scene).flatMap((party): ClockName[] =>
    party === 'platform' ? [`database of the ${party}`] : [party, `database of the ${party}`],
  )
}

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
