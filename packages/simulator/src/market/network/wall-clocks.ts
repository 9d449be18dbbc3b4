/**
 * The wall clocks of a simulated market, which can be set forward or back.
 *
 * Durations use the monotonic clock, which cannot be set. The state is global for the process.
 */

import { type ListenerName, type PartyName, partiesOf } from '../actors/party-names.ts'
import type { Scenario } from '../scenario.ts'

/** The platform uses only the clock of its database (W-19). */
export type ClockName = ListenerName | `database of the ${PartyName}`

export function listClocks(scenario: Scenario): readonly ClockName[] {
  return partiesOf(scenario).flatMap((party): ClockName[] =>
    party === 'platform' ? [`database of the ${party}`] : [party, `database of the ${party}`],
  )
}

const offsets = new Map<ClockName, number>()
let shown: ClockName | undefined

/** Milliseconds ahead of the virtual time. */
export function readClockOffset(clock: ClockName): number {
  return offsets.get(clock) ?? 0
}

export function setClock(clock: ClockName, byMs: number): void {
  offsets.set(clock, readClockOffset(clock) + byMs)
}

export function resetClocks(): void {
  offsets.clear()
}

/** While `work` runs, JavaScript's time is this clock's. */
export function withClock<T>(clock: ClockName, work: () => T): T {
  const before = shown
  shown = clock
  try {
    return work()
  } finally {
    shown = before
  }
}

export function readShownOffset(): number {
  return shown === undefined ? 0 : readClockOffset(shown)
}
