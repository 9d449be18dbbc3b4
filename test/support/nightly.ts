/**
 * Long tests that are many cases of one table run a part of it by day: so many days of checks run
 * all of it. `npm run nightly` (PURSER_NIGHTLY=1) runs all of it at once.
 */
export const IS_NIGHTLY = process.env.PURSER_NIGHTLY !== undefined
const DAY_MS = 86_400_000
const TODAY = Math.floor(Date.now() / DAY_MS)

/** Of the cases of a table, one in `days` is due by day. */
export function isDue(index: number, days: number): boolean {
  return IS_NIGHTLY || index % days === TODAY % days
}

export function dueOf<T>(cases: readonly T[], days: number): readonly T[] {
  return cases.filter((_, index) => isDue(index, days))
}
