/**
 * The clocks on the walls of a market: each may be set, forward and back, and goes on from there. What something takes is measured on
 * another one, which nobody sets. For the whole process, as the virtual world is.
 */

import { type ListenerName, type PartyName, partiesOf } from '../actors/party-names.ts'
import type { Scenario } from '../scenario.ts'

/** The platform tells the time by its database (W-19): its own clock is not asked. */
export type ClockName = ListenerName | `database of the ${PartyName}`

/** Those that are set in a market. */
export function listClocks(scene: Scenario): readonly ClockName[] {
  return partiesOf(scene).flatMap((party): ClockName[] =>
    party === 'platform' ? [`database of the ${party}`] : [party, `database of the ${party}`],
  )
}

const offsets = new Map<ClockName, number>()
let shown: ClockName | undefined

/** Milliseconds by which a clock is ahead of the time. */
export function readClockOffset(clock: ClockName): number {
  return offsets.get(clock) ?? 0
}

export function setClock(clock: ClockName, byMs: number): void {
  offsets.set(clock, readClockOffset(clock) + byMs)
}

/** All are right again. */
export function resetClocks(): void {
  offsets.clear()
}

/** While `work` runs, whoever asks JavaScript for the time sees this clock. */
export function withClock<T>(clock: ClockName, work: () => T): T {
  const before = shown
  shown = clock
  try {
    return work()
  } finally {
    shown = before
  }
}

/** By how much the clock that is shown now is ahead. */
export function readShownOffset(): number {
  return shown === undefined ? 0 : readClockOffset(shown)
}
