/**
 * Plays runs with each planted fault from seed 1 on, until a run finds the fault. Writes the
 * results as a table for the docs.
 */
import { writeFileSync } from 'node:fs'
import type { Print } from '../failure-report.ts'
import type { RunResult } from '../market-run.ts'
import { classifyComplaint } from '../run-file.ts'
import type { PlantedFault } from './planted-fault.ts'

/** The number of runs in which a planted fault must be found. */
const MAX_RUNS = 50

export interface FaultFinding {
  readonly seed: number
  /** The first complaint, without names and numbers; empty without one. */
  readonly found: string
}

type TableFault = Pick<PlantedFault, 'fault' | 'breaks' | 'file'>

interface FaultTable<F> {
  readonly planted: readonly F[]
  readonly head: string
  readonly path: string
  readonly print: Print
}

export async function findFirstFailure(
  play: (seed: number) => Promise<Pick<RunResult, 'complaints'>>,
  from = 1,
): Promise<FaultFinding> {
  for (let seed = from; seed < from + MAX_RUNS; seed++) {
    const { complaints } = await play(seed)
    const found = classifyComplaint(complaints[0] ?? '').replace(/:$/, '')
    if (found !== '') return { seed, found }
  }
  return { seed: MAX_RUNS, found: '' }
}

/** Returns true if all faults were found. */
export async function findEachFault<F extends TableFault>(
  { planted, head, path, print }: FaultTable<F>,
  find: (one: F) => Promise<FaultFinding>,
): Promise<boolean> {
  const rows: string[] = []
  const seeds: number[] = []
  for (const one of planted) {
    const { fault, breaks, file } = one
    const { seed, found } = await find(one)
    if (found !== '') seeds.push(seed)
    const run = found === '' ? `not in ${MAX_RUNS}` : file === undefined ? `${seed}` : `[kept](../../../${file})`
    print(`${fault}: ${run}, ${found}`)
    rows.push(`| ${fault} | ${formatLink(breaks)} | ${run} | ${found.replaceAll('|', ' ')} |`)
  }
  const median = seeds.sort((a, b) => a - b)[Math.floor(seeds.length / 2)]
  const sum = `${seeds.length} of ${rows.length} were found; the median run is ${median}.`
  writeFileSync(path, `${head}\n${COLUMNS}${rows.join('\n')}\n\n${sum}\n`)
  print(sum)
  return seeds.length === rows.length
}

const COLUMNS = `| Fault | Breaks | Found in run | The first complaint |
|---|---|---|---|
`

function formatLink(breaks: string): string {
  if (!/^[A-Z]-\d+$/.test(breaks)) return breaks
  const page = breaks.startsWith('G-') ? 'concepts/gateway.md' : 'reference/decisions.md'
  return `[${breaks}](../../../docs/${page}#${breaks.toLowerCase()})`
}
