/** A run as a list of choices in a file: kept when it fails, played again after the code has changed, made shorter. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Choice, followChoices } from './choices.ts'
import type { Stores } from './market.ts'
import { type RunResult, runMarket } from './run.ts'

export interface RunFile {
  /** For what the processes draw by themselves. */
  readonly seed: number
  /** Of the code that failed. */
  readonly commit: string
  /** What was found, without names and numbers. */
  readonly found: string
  readonly choices: readonly Choice[]
}

export function readRunFile(path: string): RunFile {
  return JSON.parse(readFileSync(path, 'utf8')) as RunFile
}

/** A choice in each line, so that a person can take one out. */
export function writeRunFile(path: string, { choices, ...rest }: RunFile): void {
  const head = JSON.stringify(rest).slice(0, -1)
  writeFileSync(path, `${head},"choices":[\n${choices.map((choice) => JSON.stringify(choice)).join(',\n')}\n]}\n`)
}

export function playFile({ seed, choices }: Pick<RunFile, 'seed' | 'choices'>, stores: Stores): Promise<RunResult> {
  return runMarket(seed, stores, followChoices(choices))
}

/** Two complaints with the same are of one kind: names, numbers and rows are left out. */
export function kindOfComplaint(complaint: string): string {
  const [first = ''] = complaint.split(/[\n{[]/)
  return first.replace(/\d+/g, '#').trim()
}

/** Choices that are taken out together at first are half of all; in the end one. */
const HALF = 2

/**
 * Fewer choices with which a complaint of the same kind is found: whole pieces are taken out, ever smaller ones, as long as it is. `most`:
 * runs at most.
 */
export async function shrink(
  file: RunFile,
  stores: Stores,
  most: number,
  tell: (left: number) => void = () => {},
): Promise<RunFile> {
  let { choices } = file
  let runs = 0
  const isFound = async (tried: readonly Choice[]) => {
    runs += 1
    const { complaints } = await playFile({ ...file, choices: tried }, stores)
    return complaints.some((complaint) => kindOfComplaint(complaint) === file.found)
  }
  const without = async (isTaken: (choice: Choice) => boolean) => {
    const rest = choices.filter((choice) => !isTaken(choice))
    if (rest.length === choices.length || !(await isFound(rest))) return
    choices = rest
    tell(choices.length)
  }
  await without((choice) => 'of' in choice && choice.fate.name === '')
  await without((choice) => 'disaster' in choice)
  for (let size = Math.ceil(choices.length / HALF); size > 0 && runs < most; ) {
    const before = choices.length
    for (let from = 0; from < choices.length && runs < most; ) {
      const [piece, length] = [new Set(choices.slice(from, from + size)), choices.length]
      await without((choice) => piece.has(choice))
      if (choices.length === length) from += size
    }
    if (size === 1 && choices.length === before) break
    size = size === 1 ? 1 : Math.ceil(size / HALF)
  }
  return { ...file, choices }
}
