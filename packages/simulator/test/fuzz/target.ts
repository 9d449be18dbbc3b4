/** A fuzz target: starting inputs, their mutation, and a judge of our code's result. */
import type { Chance } from './chance.ts'
import type { Parts } from './corpus.ts'

export interface Target {
  readonly name: string
  /** Good inputs. */
  readonly seeds: readonly Parts[]
  mutate(chance: Chance, parts: Parts): Parts
  /** The parts that may grow to any length. */
  readonly grows: readonly string[]
  /** The complaint, whose text up to a colon names its kind; undefined without one. */
  judge(parts: Parts): Promise<string | undefined> | string | undefined
}

const NOTHING = Buffer.alloc(0)

export function bytesOf(parts: Parts, name: string): Buffer {
  return parts[name] ?? NOTHING
}

export function textOf(parts: Parts, name: string): string {
  return bytesOf(parts, name).toString('utf8')
}

export function firstOf(complaints: readonly (string | false | undefined)[]): string | undefined {
  const found = complaints.find((one) => typeof one === 'string')
  return typeof found === 'string' ? found : undefined
}

export function shown(value: unknown): string {
  return JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? `${one}n` : one)) ?? 'undefined'
}
