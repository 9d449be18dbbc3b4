/**
 * Saves a run in a file, as a list of its choices. A failed run is saved; it can be played again
 * and shortened.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Stores } from './market.ts'
import { type RunResult, runMarket } from './market-run.ts'
import { type Choice, type CrashFault, replayChoices } from './run-choices.ts'

export interface RunFile<D = CrashFault> {
  /** Absent means 2. */
  readonly level?: 2 | 3
  /** For the random numbers of the processes. */
  readonly seed: number
  readonly commit: string
  /** The complaint's class. */
  readonly found: string
  /** The planted fault, if the failure is not the product's. */
  readonly planted?: string
  readonly choices: readonly Choice<D>[]
}

export function readRunLevel({ level = 2 }: Pick<RunFile, 'level'>): 2 | 3 {
  return level
}

export function readRunFile<D = CrashFault>(path: string): RunFile<D> {
  return JSON.parse(readFileSync(path, 'utf8')) as RunFile<D>
}

export function listRunFiles(folder: string, level: 2 | 3): string[] {
  const files = readdirSync(folder).map((name) => `${folder}/${name}`)
  return files.filter((path) => readRunLevel(readRunFile(path)) === level)
}

/** One choice per line, which a user can remove. */
export function writeRunFile<D>(path: string, { choices, ...rest }: RunFile<D>): void {
  const head = JSON.stringify(rest).slice(0, -1)
  writeFileSync(path, `${head},"choices":[\n${choices.map((choice) => JSON.stringify(choice)).join(',\n')}\n]}\n`)
}

export function playFile({ seed, choices }: Pick<RunFile, 'seed' | 'choices'>, stores: Stores): Promise<RunResult> {
  return runMarket(seed, stores, replayChoices(choices))
}

/** Complaints of the same class differ only in names, numbers and rows. */
export function classifyComplaint(complaint: string): string {
  const [first = ''] = complaint.split(/[\n{[]/)
  return first.replace(/\d+/g, '#').trim()
}

/** At first half of the choices are removed together, at the end one. */
const HALF = 2

/**
 * Removes ever smaller pieces as long as the complaint's class stays. `most`: the limit of runs.
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
  await without((choice) => 'message' in choice && choice.fault.name === '')
  await without((choice) => 'crash' in choice)
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
