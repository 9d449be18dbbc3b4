/** What is fuzzed: inputs to begin with, how they are changed, and a judge that says what is wrong with what our code makes of one. */
import type { Chance } from './chance.ts'
import type { Parts } from './corpus.ts'

export interface Target {
  readonly name: string
  /** Inputs that are as they should be. */
  readonly seeds: readonly Parts[]
  mutate(chance: Chance, parts: Parts): Parts
  /** The parts that may have any length; of none nothing is grown. */
  readonly grows: readonly string[]
  /** What is wrong, in words whose first ones (up to a colon) name the kind; undefined when nothing is. */
  judge(parts: Parts): Promise<string | undefined> | string | undefined
}

const NOTHING = Buffer.alloc(0)

export function bytesOf(parts: Parts, name: string): Buffer {
  return parts[name] ?? NOTHING
}

export function textOf(parts: Parts, name: string): string {
  return bytesOf(parts, name).toString('utf8')
}

/** What is wrong first. */
export function firstOf(complaints: readonly (string | false | undefined)[]): string | undefined {
  const found = complaints.find((one) => typeof one === 'string')
  return typeof found === 'string' ? found : undefined
}

export function shown(value: unknown): string {
  return JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? `${one}n` : one)) ?? 'undefined'
}
