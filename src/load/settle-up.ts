/** After the load: what the wallet has not acknowledged is sent until it is, so that every balance can be known. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two rounds: they double. */
const FIRST_GAP_MS = 200
const LONGEST_GAP_MS = 5_000

export interface SettleUp<D> {
  /** One call; answers the doubt that is left. Never rejects. */
  readonly ask: (doubt: D) => Promise<D | undefined>
  readonly atOnce: number
  /** Milliseconds without a single doubt resolved after which no more is asked. */
  readonly patienceMs: number
}

/** Resolves to what is still in doubt. */
export async function settleUp<D>(doubts: readonly D[], how: SettleUp<D>): Promise<readonly D[]> {
  let left = doubts
  let until = performance.now() + how.patienceMs
  for (let gap = FIRST_GAP_MS; left.length > 0; gap = Math.min(2 * gap, LONGEST_GAP_MS)) {
    const before = left.length
    left = await askAll(left, how, () => performance.now() < until)
    if (left.length < before) until = performance.now() + how.patienceMs
    if (left.length === 0 || performance.now() + gap >= until) return left
    await sleep(gap)
  }
  return left
}

async function askAll<D>(
  doubts: readonly D[],
  { ask, atOnce }: SettleUp<D>,
  isInTime: () => boolean,
): Promise<readonly D[]> {
  const left: D[] = []
  const work = doubts.values()
  const askOn = async () => {
    for (const doubt of work) {
      const still = isInTime() ? await ask(doubt) : doubt
      if (still !== undefined) left.push(still)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, doubts.length) }, askOn))
  return left
}
