/** A run as a list of choices in a file: kept when it fails, played again after the code has changed, made shorter. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Stores } from './market.ts'
import { type RunResult, runMarket } from './market-run.ts'
import { type Choice, type CrashFault, replayChoices } from './run-choices.ts'

export interface RunFile<D = CrashFault> {
  /** Absent: 2. */
  readonly level?: 2 | 3
  /** For what the processes draw by themselves. */
  readonly seed: number
  /** Of the code that failed. */
  readonly commit: string
  /** What was found, without names and numbers. */
  readonly found: string
  /** With which planted fault, where none was found in the product. */
  readonly planted?: string
  readonly choices: readonly Choice<D>[]
}

export function readRunLevel({ level = 2 }: Pick<RunFile, 'level'>): 2 | 3 {
  return level
}

export function readRunFile<D = CrashFault>(path: string): RunFile<D> {
  return JSON.parse(readFileSync(path, 'utf8')) as RunFile<D>
}

/** Files in this folder of runs of this level. */
export function listRunFiles(folder: string, level: 2 | 3): string[] {
  const files = readdirSync(folder).map((name) => `${folder}/${name}`)
  return files.filter((path) => readRunLevel(readRunFile(path)) === level)
}

/** A choice in each line, so that a person can take one out. */
export function writeRunFile<D>(path: string, { choices, ...rest }: RunFile<D>): void {
  const head = JSON.stringify(rest).slice(0, -1)
  writeFileSync(path, `${head},"choices":[\n${choices.map((choice) => JSON.stringify(choice)).join(',\n')}\n]}\n`)
}

export function playFile({ seed, choices }: Pick<RunFile, 'seed' | 'choices'>, stores: Stores): Promise<RunResult> {
  return runMarket(seed, stores, replayChoices(choices))
}

/** Two complaints with the same are of one kind: names, numbers and rows are left out. */
export function classifyComplaint(complaint: string): string {
  const [first = ''] = complaint.split(/[\n{[]/)
  return first.replace(/\d+/g, '#').trim()
}

/** Choices that are taken out together at first are half of all; in the end one. */
const HALF = 2

/**
 * Fewer choices with which a complaint of the same kind is found: whole pieces are taken out, ever smaller ones, as long as it is. `most`:
 * runs at most.
 */
export async function shrinkRun<D>(
  file: RunFile<D>,
  play: (file: RunFile<D>) => Promise<Pick<RunResult, 'complaints'>>,
  most: number,
  onShrunk: (left: number) => void = () => {},
): Promise<RunFile<D>> {
  let { choices } = file
  let runs = 0
  const isFound = async (tried: readonly Choice<D>[]) => {
    runs += 1
    const { complaints } = await play({ ...file, choices: tried })
    return complaints.some((complaint) => classifyComplaint(complaint) === file.found)
  }
  const without = async (isTaken: (choice: Choice<D>) => boolean) => {
    const rest = choices.filter((choice) => !isTaken(choice))
    if (rest.length === choices.length || !(await isFound(rest))) return
    choices = rest
    onShrunk(choices.length)
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
