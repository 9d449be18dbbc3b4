/**
 * Selects the test cases that run on a day.
 *
 * A large table of similar cases runs only partly each day. `npm run nightly` sets
 * PURSER_NIGHTLY=1, which runs every case.
 */
export const IS_NIGHTLY = process.env.PURSER_NIGHTLY !== undefined
const DAY_MS = 86_400_000
const TODAY = Math.floor(Date.now() / DAY_MS)

/** Each case is due on one day in `days`. */
export function isDue(index: number, days: number): boolean {
  return IS_NIGHTLY || index % days === TODAY % days
}

export function dueOf<T>(cases: readonly T[], days: number): readonly T[] {
  return cases.filter((_, index) => isDue(index, days))
}
