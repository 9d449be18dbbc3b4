/** Plays runs with real locks on Postgres: new runs, each from its seed, and saved runs. */

import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Print, printEvents, saveFailure } from '../market/failure-report.ts'
import type { SeedRange } from '../market/market-command.ts'
import { findEachFault, findFirstFailure } from '../market/planted/fault-table.ts'
import { replayChoices } from '../market/run-choices.ts'
import { type RunFile, readRunFile, shrinkRun, writeRunFile } from '../market/run-file.ts'
import type { ProcessFault } from './faults/crash-faults.ts'
import { LOCKS_FAULTS } from './faults/locks-planted-faults.ts'
import { createLocksBase, type LocksBase } from './locks-base.ts'
import { LOCKS_COVERAGE, SET_FREE_AT_ONCE } from './locks-coverage.ts'
import type { NamedLocksFault } from './locks-harness.ts'
import { type LocksResult, runLocks } from './locks-run.ts'

/** One run in this number is played twice, and must give the same result. */
const TWICE_EVERY = 20
/** After this number of runs every situation of locks-coverage.ts must have occurred. */
const MIN_RUNS_FOR_COVERAGE = 40
const PROGRESS_MS = 5_000
/** The limit of runs. */
const SHRINKING_RUNS = 400
/** No further run begins after this number of findings: more would repeat the same faults. */
const MAX_FOUND = 10

async function withBase<T>(work: (base: LocksBase) => Promise<T>): Promise<T> {
  const server = process.env.DATABASE_URL
  if (server === undefined)
    throw new UsageError('level 3 needs DATABASE_URL: set it to a Postgres on which the command can create databases')
  const base = await createLocksBase(server)
  try {
    return await work(base)
  } finally {
    await base.drop()
  }
}

export function playLocksFile(
  { seed, choices }: Pick<RunFile<ProcessFault>, 'seed' | 'choices'>,
  base: LocksBase,
  planted?: NamedLocksFault,
): Promise<LocksResult> {
  return runLocks(seed, base, planted, replayChoices<ProcessFault>(choices))
}

/** Returns true without findings. */
export function simulateLocks({ seed: first, runs }: SeedRange, print: Print, progress = print): Promise<boolean> {
  return withBase((base) => simulate(base, { seed: first, runs }, print, progress))
}

async function simulate(
  base: LocksBase,
  { seed: first, runs }: SeedRange,
  print: Print,
  progress: Print,
): Promise<boolean> {
  const [startedAt, total] = [environment.monotonicNow(), createLocksTotal()]
  let [printedAt, playsTwiceFrom] = [startedAt, 0]
  const found: LocksResult[] = []
  for (let i = 0; i < runs && found.length < MAX_FOUND; i++) {
    const result = await runLocks(first + i, base)
    total.add(result)
    const isTwice = i >= playsTwiceFrom && result.complaints.length === 0 && !result.marks.has(SET_FREE_AT_ONCE)
    if (isTwice) playsTwiceFrom = i + TWICE_EVERY
    const failed = isTwice ? await replayRun(result, base) : result
    if (failed !== undefined && failed.complaints.length > 0) found.push(failed)
    if (environment.monotonicNow() - printedAt < PROGRESS_MS) continue
    printedAt = environment.monotonicNow()
    progress(`${i + 1} of ${runs} runs`)
  }
  for (const line of total.lines(environment.monotonicNow() - startedAt)) print(line)
  for (const one of found) await saveFailure<ProcessFault>(3, one, (file) => playLocksFile(file, base), print)
  const missed = LOCKS_COVERAGE.filter((mark) => !total.hasMet(mark))
  const hasEnoughRuns = runs >= MIN_RUNS_FOR_COVERAGE
  if (missed.length > 0) print(`${hasEnoughRuns ? 'FOUND: ' : ''}never met: ${missed.join(', ')}`)
  return found.length === 0 && (missed.length === 0 || !hasEnoughRuns)
}

function createLocksTotal() {
  const marks = new Map<string, number>()
  const sum = { runs: 0, calls: 0, events: 0 }
  return {
    hasMet: (mark: string) => marks.has(mark),
    add({ calls, story, marks: met }: LocksResult) {
      sum.runs += 1
      sum.calls += calls
      sum.events += story.length
      for (const [name, count] of met) marks.set(name, (marks.get(name) ?? 0) + count)
    },
    *lines(tookMs: number): Iterable<string> {
      yield `${sum.runs} runs, ${sum.calls} calls, ${sum.events} events in ${Math.trunc(tookMs / 1_000)} s`
      const met = [...marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${count} × ${name}`)
      yield `met: ${met.join(', ')}`
    },
  }
}

/** Undefined if the second run gives the same result. */
async function replayRun(before: LocksResult, base: LocksBase): Promise<LocksResult | undefined> {
  const again = await runLocks(before.seed, base)
  if (again.hash === before.hash) return undefined
  const at = again.story.findIndex((event, i) => event !== before.story[i])
  const differ = `${before.hash} and ${again.hash}, first at "${before.story[at]}" and "${again.story[at]}"`
  return { ...again, complaints: [`played twice, it came to ${differ}`] }
}

/** Plays a saved run. Returns true without findings. */
export function replayLocksFile(path: string, print: Print): Promise<boolean> {
  return withBase(async (base) => {
    const result = await playLocksFile(readRunFile<ProcessFault>(path), base)
    printEvents(result, print)
    if (result.complaints.length === 0) print('as it must be')
    return result.complaints.length === 0
  })
}

/** Returns true if the shortened run has no findings any more. */
export function shrinkLocksFile(path: string, print: Print): Promise<boolean> {
  return withBase(async (base) => {
    const file = readRunFile<ProcessFault>(path)
    const shorter = await shrinkRun(
      file,
      (one) => playLocksFile(one, base),
      SHRINKING_RUNS,
      (left) => print(`${left} choices`),
    )
    writeRunFile(path, shorter)
    const result = await playLocksFile(shorter, base)
    printEvents(result, print)
    print(`${file.choices.length} choices became ${shorter.choices.length}: npm run simulate -- --file ${path}`)
    return result.complaints.length === 0
  })
}

/**
 * Plays runs until each planted fault is found, and writes the table. Returns true if all were
 * found.
 */
export function findPlantedLocks(path: string, print: Print): Promise<boolean> {
  return withBase((base) =>
    findEachFault({ planted: LOCKS_FAULTS, head: TABLE, path, print }, (one) =>
      findFirstFailure((seed) => runLocks(seed, base, one), one.seed),
    ),
  )
}

const TABLE = `# Faults planted with real locks

Each fault of this table is planted alone in the wallets or the platform of a run with
[real locks](../../../docs/concepts/real-locks.md). Runs start from the last run that found the fault. The checks play that run.
\`npm run simulate -- --level 3 --planted packages/simulator/src/reports/planted-faults-locks.md\` writes this page.
`
