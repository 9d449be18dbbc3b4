/**
 * Retries after the load: each unacknowledged call is repeated until its effect on the balance is
 * known.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two rounds. The gaps double. */
const FIRST_GAP_MS = 200
const LONGEST_GAP_MS = 5_000

export interface RetryOptions<D> {
  /** Makes one call and returns the doubt that remains. Never rejects. */
  readonly retry: (call: D) => Promise<D | undefined>
  readonly atOnce: number
  /** Milliseconds without a resolved doubt, after which the retries stop. */
  readonly stallTimeoutMs: number
}

/** Resolves to the calls that remain in doubt. */
export async function retryUnacknowledged<D>(calls: readonly D[], how: RetryOptions<D>): Promise<readonly D[]> {
  let left = calls
  let until = performance.now() + how.stallTimeoutMs
  for (let gap = FIRST_GAP_MS; left.length > 0; gap = Math.min(2 * gap, LONGEST_GAP_MS)) {
    const before = left.length
    left = await retryRound(left, how, () => performance.now() < until)
    if (left.length < before) until = performance.now() + how.stallTimeoutMs
    if (left.length === 0 || performance.now() + gap >= until) return left
    await sleep(gap)
  }
  return left
}

async function retryRound<D>(
  calls: readonly D[],
  { retry, atOnce }: RetryOptions<D>,
  isInTime: () => boolean,
): Promise<readonly D[]> {
  const left: D[] = []
  const work = calls.values()
  const retryNext = async () => {
    for (const call of work) {
      const still = isInTime() ? await retry(call) : call
      if (still !== undefined) left.push(still)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, calls.length) }, retryNext))
  return left
}
