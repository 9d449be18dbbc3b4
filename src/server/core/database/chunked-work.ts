/** Much work in transactions of a bounded size, so that nothing else waits for long. */

/** Rows of one transaction. */
export const CHUNK_ROWS = 500

/** Takes slice after slice until one is empty, or `signal`. Resolves to the sum. */
export async function runInChunks(signal: AbortSignal, runChunk: () => Promise<number>): Promise<number> {
  let sum = 0
  while (!signal.aborted) {
    const taken = await runChunk()
    sum += taken
    if (taken === 0) return sum
  }
  return sum
}
