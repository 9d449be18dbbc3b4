/** Much work in transactions of a bounded size, so that nothing else waits for long. */

/** Rows of one transaction. */
export const SLICE = 500

/** Takes slice after slice until one is empty, or `signal`. Resolves to the sum. */
export async function inSlices(signal: AbortSignal, take: () => Promise<number>): Promise<number> {
  let sum = 0
  while (!signal.aborted) {
    const taken = await take()
    sum += taken
    if (taken === 0) return sum
  }
  return sum
}
