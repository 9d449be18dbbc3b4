/** Chance that is the same again: what an input becomes follows from target, seed and number alone. */
import { createHash } from 'node:crypto'
import { mulberry32 } from '../support/random.ts'

export interface Chance {
  /** An integer from 0 to below. */
  below(bound: number): number
  /** True once in so many times. */
  oneIn(times: number): boolean
  pick<T>(items: readonly T[]): T
}

export function chanceOf(...what: readonly (string | number)[]): Chance {
  const next = mulberry32(createHash('sha256').update(what.join(' ')).digest().readUInt32LE())
  const below = (bound: number) => Math.floor(next() * bound)
  return { below, oneIn: (times) => below(times) === 0, pick: (items) => items[below(items.length)] as never }
}
