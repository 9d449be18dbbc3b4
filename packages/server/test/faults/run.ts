/** Runs one scenario of `npm run faults`, and removes everything that the scenario created. */
import type { Random } from '../support/random.ts'
import { NotHere } from './disk-full.ts'
import type { Scenario } from './scenarios.ts'
import type { Tally } from './stage.ts'

export interface Result {
  readonly name: string
  readonly tally?: Tally
  /** The reason for missing figures. */
  readonly missing?: string
  readonly failed: boolean
}

export async function run({ name, run }: Scenario, given: { forMs: number; random: Random }): Promise<Result> {
  const cleanings: (() => unknown)[] = []
  try {
    const tally = await run({ ...given, onEnd: (clean) => void cleanings.push(clean) })
    return { name, tally, failed: tally.lost + tally.doubled + tally.owed > 0 }
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error)
    return { name, missing, failed: !(error instanceof NotHere) }
  } finally {
    for (const clean of cleanings.reverse()) await clean()
  }
}

const COLUMNS = ['calls', 'faults', 'acknowledged', 'unanswered', 'lost', 'doubled', 'owed', 'slowest'] as const

export function rowOf({ name, tally, missing, failed }: Result): string {
  const figures = COLUMNS.map((column) => (tally === undefined ? '–' : tally[column].toLocaleString('en')))
  const note =
    missing === undefined ? (tally?.note ?? '') : `${failed ? 'FAILED' : 'not run'}: ${missing.split('\n')[0]}`
  return `| ${[name, ...figures, note].join(' | ')} |`
}

export function tableOf(results: readonly Result[]): string {
  const heads = ['scenario', ...COLUMNS.slice(0, -1), 'slowest, ms', '']
  return [`| ${heads.join(' | ')} |`, `|---|${'---:|'.repeat(COLUMNS.length)}---|`, ...results.map(rowOf)].join('\n')
}
