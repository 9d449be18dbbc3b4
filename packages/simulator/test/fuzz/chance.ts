/**
 * Reproducible random numbers for the fuzzer: an input depends only on its target, its seed and its
 * number.
 */
import { createHash } from 'node:crypto'
import { mulberry32 } from '../../../server/test/support/random.ts'

export interface Chance {
  /** An integer from 0 to `bound - 1`. */
  below(bound: number): number
  /** True once in this number of calls, on average. */
  oneIn(times: number): boolean
  pick<T>(items: readonly T[]): T
}

export function chanceOf(...what: readonly (string | number)[]): Chance {
  const next = mulberry32(createHash('sha256').update(what.join(' ')).digest().readUInt32LE())
  const below = (bound: number) => Math.floor(next() * bound)
  return { below, oneIn: (times) => below(times) === 0, pick: (items) => items[below(items.length)] as never }
}
