/**
 * Runs our code with the inputs of one target. Each input depends only on the seed and its number.
 */
import { chanceOf } from './chance.ts'
import { corpusFiles, type Parts, readInput } from './corpus.ts'
import { grow } from './mutate.ts'
import { SHRINK_TRIES, shrink } from './shrink.ts'
import type { StepCounter } from './steps.ts'
import { bytesOf, type Target } from './target.ts'

/** One input in this number is as large as a body may be. */
const GROWN_EVERY = 100
const GROWN_BYTES = 128 * 1024

/** The limit of steps for an input: per byte, and in addition. */
const STEPS_PER_BYTE = 50
const STEPS_BESIDES = 50_000

export interface Finding {
  readonly input: Parts
  readonly complaint: string
}

export interface FuzzResult {
  readonly inputs: number
  readonly found?: Finding
}

export interface FuzzOptions {
  readonly seed: number | string
  readonly inputs: number
  readonly from?: number
  readonly shrinkTries?: number
  onInput?(number: number): void
}

/** The starting points of mutations: good inputs and earlier findings. */
export function startsOf(target: Target): Parts[] {
  return [...target.seeds, ...corpusFiles(target.name).map(({ path }) => readInput(path))]
}

export function makeInput(target: Target, starts: readonly Parts[], seed: number | string, number: number): Parts {
  const chance = chanceOf(target.name, seed, number)
  const mutated = target.mutate(chance, chance.pick(starts))
  if (!isGrown(target, number)) return mutated
  const part = chance.pick(target.grows)
  return { ...mutated, [part]: grow(chance, bytesOf(mutated, part), GROWN_BYTES) }
}

function isGrown(target: Target, number: number): boolean {
  return target.grows.length > 0 && number % GROWN_EVERY === GROWN_EVERY - 1
}

/** Ends with the first finding, which is shrunk. */
export async function fuzz(target: Target, wanted: FuzzOptions, steps: StepCounter): Promise<FuzzResult> {
  const starts = startsOf(target)
  const from = wanted.from ?? 0
  for (let i = from; i < from + wanted.inputs; i++) {
    wanted.onInput?.(i)
    const input = makeInput(target, starts, wanted.seed, i)
    const complain = (parts: Parts) => complaintOf(target, parts, isGrown(target, i) ? steps : undefined)
    const complaint = await complain(input)
    if (complaint === undefined) continue
    const small = await shrink(input, complaint, complain, wanted.shrinkTries ?? SHRINK_TRIES)
    return { inputs: i + 1 - from, found: { input: small, complaint: (await complain(small)) ?? complaint } }
  }
  return { inputs: wanted.inputs }
}

/** With a counter, too much work is a complaint too. */
export async function complaintOf(target: Target, parts: Parts, steps?: StepCounter): Promise<string | undefined> {
  steps?.take()
  const complaint = await judged(target, parts)
  const bytes = Object.values(parts).reduce((sum, part) => sum + part.length, 0)
  const taken = steps?.take() ?? 0
  const most = STEPS_BESIDES + STEPS_PER_BYTE * bytes
  return complaint ?? (taken > most ? `too much work: ${taken} steps for ${bytes} bytes, more than ${most}` : undefined)
}

async function judged(target: Target, parts: Parts): Promise<string | undefined> {
  try {
    return await target.judge(parts)
  } catch (error) {
    return `it threw ${error instanceof Error ? `${error.name} (${error.message.slice(0, 120)})` : String(error)}`
  }
}
