/**
 * Random generator with a seed. Each part of a program (`subject`) has its own stream, so no part
 * changes the random numbers of another.
 */

export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number
  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

export function createRandom(seed: number, subject: string): Random {
  const next = mulberry32(
    [...subject].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619), seed),
  )
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  }
}

/** Tommy Ettinger's generator. Its 32 bits of state suffice for simulations. */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
