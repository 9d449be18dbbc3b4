/**
 * Splits large work into transactions of a bounded size, so that no other transaction waits for
 * long.
 */

/** Rows per transaction. */
export const CHUNK_ROWS = 500

/** Runs chunks until one returns 0 or `signal` aborts. Resolves to the total. */
export async function runInChunks(signal: AbortSignal, runChunk: () => Promise<number>): Promise<number> {
  let sum = 0
  while (!signal.aborted) {
    const taken = await runChunk()
    sum += taken
    if (taken === 0) return sum
  }
  return sum
}
