/** Each planted fault is looked for in runs from seed 1 on, and what found it is written down as a table of the docs. */
import { writeFileSync } from 'node:fs'
import type { Say } from '../failure.ts'
import type { RunResult } from '../run.ts'
import { kindOfComplaint } from '../run-file.ts'
import type { Planted } from './row.ts'

/** Runs in which a planted fault must be found. */
const MOST_RUNS = 50

export interface Finding {
  readonly seed: number
  /** The first complaint, without names and numbers; empty: there was none. */
  readonly found: string
}

type Fault = Pick<Planted, 'fault' | 'breaks' | 'file'>

interface Table<F> {
  readonly planted: readonly F[]
  /** What is said above it. */
  readonly head: string
  readonly path: string
  readonly say: Say
}

/** The first run that complains. */
export async function firstOf(
  play: (seed: number) => Promise<Pick<RunResult, 'complaints'>>,
  from = 1,
): Promise<Finding> {
  for (let seed = from; seed < from + MOST_RUNS; seed++) {
    const { complaints } = await play(seed)
    const found = kindOfComplaint(complaints[0] ?? '').replace(/:$/, '')
    if (found !== '') return { seed, found }
  }
  return { seed: MOST_RUNS, found: '' }
}

/** True when all were found. */
export async function findEach<F extends Fault>(
  { planted, head, path, say }: Table<F>,
  find: (one: F) => Promise<Finding>,
): Promise<boolean> {
  const rows: string[] = []
  const seeds: number[] = []
  for (const one of planted) {
    const { fault, breaks, file } = one
    const { seed, found } = await find(one)
    if (found !== '') seeds.push(seed)
    const run = found === '' ? `not in ${MOST_RUNS}` : file === undefined ? `${seed}` : `[kept](../../${file})`
    say(`${fault}: ${run}, ${found}`)
    rows.push(`| ${fault} | ${linked(breaks)} | ${run} | ${found.replaceAll('|', ' ')} |`)
  }
  const median = seeds.sort((a, b) => a - b)[Math.floor(seeds.length / 2)]
  const sum = `${seeds.length} of ${rows.length} were found, one half of them by run ${median}.`
  writeFileSync(path, `${head}\n${COLUMNS}${rows.join('\n')}\n\n${sum}\n`)
  say(sum)
  return seeds.length === rows.length
}

const COLUMNS = `| Fault | Breaks | Found in run | The first complaint |
|---|---|---|---|
`

function linked(breaks: string): string {
  if (!/^[A-Z]-\d+$/.test(breaks)) return breaks
  const page = breaks.startsWith('G-') ? 'concepts/gateway.md' : 'reference/decisions.md'
  return `[${breaks}](../${page}#${breaks.toLowerCase()})`
}
