/** Zipf distribution: player k is drawn 1/k^s times as often as the first. Few players bet much. */
import type { Random } from '@purser/runtime/seeded-random'

/** Number of values that `Random` draws (32 bits). */
const STEPS = 2 ** 32

/** Draws an index below `count`. With an exponent of 0 all are equally likely. */
export function createZipfDraw(count: number, exponent: number): (random: Random) => number {
  const ends = computeCumulativeShares(count, exponent)
  return (random) => findFirstAbove(ends, random.below(STEPS))
}

/** The cumulative share of each index, in units of 1/STEPS. */
function computeCumulativeShares(count: number, exponent: number): Float64Array {
  const ends = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += (i + 1) ** -exponent
    ends[i] = sum
  }
  return ends.map((end) => (end / sum) * STEPS)
}

function findFirstAbove(ends: Float64Array, drawn: number): number {
  let [low, high] = [0, ends.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? STEPS) > drawn) high = middle
    else low = middle + 1
  }
  return low
}
