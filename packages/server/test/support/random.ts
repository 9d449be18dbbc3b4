/**
 * Makes random choices that can be repeated: a test prints the seed, and PURSER_TEST_SEED=<seed>
 * replays the choices.
 */
export interface Random {
  seed: number
  /** An integer from 0 up to, but not including, `bound`. */
  below(bound: number): number
  chance(probability: number): boolean
  shuffled<T>(items: readonly T[]): T[]
}

export function seededRandom(what: string): Random {
  const seed = Number(process.env.PURSER_TEST_SEED ?? Date.now() % 1_000_000_000)
  console.log(`${what}: PURSER_TEST_SEED=${seed}`)
  return randomFrom(seed)
}

export function randomFrom(seed: number): Random {
  const next = mulberry32(seed)
  const below = (bound: number) => Math.floor(next() * bound)
  return { seed, below, chance: (probability) => next() < probability, shuffled: (items) => shuffled(items, below) }
}

/** Fisher-Yates shuffle. */
function shuffled<T>(items: readonly T[], below: (bound: number) => number): T[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = below(last + 1)
    const moved = result[last] as T
    result[last] = result[other] as T
    result[other] = moved
  }
  return result
}

/** Tommy Ettinger's generator; 32 bits of state are enough to choose test moments. */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
