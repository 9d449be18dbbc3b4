/**
 * Plays simulated markets from their seeds and prints the situations that occurred.
 *
 * A failed run is printed with its events and the command that plays it again.
 */

import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { readCommit } from '../doc-figures.ts'
import { closeStores } from './databases/market-store.ts'
import { type Print, printEvents, saveFailure } from './failure-report.ts'
import type { Stores } from './market.ts'
import { openWarmStores, type RunResult, runMarket } from './market-run.ts'
import { openNight } from './night-runs.ts'
import { NIGHT_COVERAGE } from './oracle/market-coverage.ts'
import { type FaultFinding, findEachFault, findFirstFailure } from './planted/fault-table.ts'
import { drawFaultChoices, type PlantedFault } from './planted/planted-fault.ts'
import { PLANTED_FAULTS } from './planted/planted-faults.ts'
import { createRunTotal, type PlayedRun, type RunTotal } from './played-run.ts'
import { playFile, readRunFile, shrinkRun, writeRunFile } from './run-file.ts'
import { playSeeds } from './seed-workers.ts'
import type { SeedTask } from './worker.ts'

export interface SeedRange {
  /** The seed of the first run. */
  readonly seed: number
  readonly runs: number
}

/** One run in this number is played twice, and must give the same result. */
const TWICE_EVERY = 20
/** After this number of runs every situation of a night must have occurred. */
const MIN_RUNS_FOR_COVERAGE = 500
const PROGRESS_MS = 5_000
/** The limit of runs. */
const SHRINKING_RUNS = 400
/** No further run begins after this number of findings: more would repeat the same faults. */
const MAX_FOUND = 10

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openWarmStores()
  try {
    return await work(stores)
  } finally {
    await closeStores(stores)
  }
}

/** Returns true without findings. */
export function simulateMarkets({ seed: first, runs }: SeedRange, print: Print, progress: Print): Promise<boolean> {
  return playAll(
    { seeds: toSeedTasks(first, runs), ended: 0, runs, total: createRunTotal(), save: () => {} },
    print,
    progress,
  )
}

export type NightEnd = 'good' | 'found' | 'runs are left'

/** A night in pieces. It is good if all of its runs were played, and this piece found nothing. */
export async function simulateNight(
  path: string,
  { seed: first, runs }: SeedRange,
  print: Print,
  progress: Print,
): Promise<NightEnd> {
  const night = openNight(path, readCommit())
  const seeds = toSeedTasks(first, runs).filter(({ seed }) => !night.hasPlayed(seed))
  const series = { seeds, ended: runs - seeds.length, runs, total: night, save: night.save }
  const isGood = await playAll(series, print, progress)
  const left = seeds.filter(({ seed }) => !night.hasPlayed(seed)).length
  if (left > 0) print(`${left} of ${runs} runs are left: the same command goes on`)
  return !isGood ? 'found' : left > 0 ? 'runs are left' : 'good'
}

interface Series {
  readonly seeds: readonly SeedTask[]
  /** The number of `runs` that earlier pieces have played. */
  readonly ended: number
  readonly runs: number
  readonly total: Pick<RunTotal, 'add' | 'hasMet' | 'lines'>
  /** Called every few seconds, and at the end. */
  readonly save: (sinceStartMs: number) => void
}

async function playAll(
  { seeds, ended: before, runs, total, save }: Series,
  print: Print,
  progress: Print,
): Promise<boolean> {
  const [startedAt, stop] = [environment.monotonicNow(), createStopSignal()]
  const sinceStart = () => Math.max(1, environment.monotonicNow() - startedAt)
  let [printedAt, ended] = [startedAt, before]
  const found: RunResult[] = []
  const onPlayed = (played: PlayedRun) => {
    total.add(played)
    if (played.failed !== undefined) found.push(played.failed)
    ended += 1
    if (environment.monotonicNow() - printedAt < PROGRESS_MS) return
    printedAt = environment.monotonicNow()
    save(sinceStart())
    progress(`${ended} of ${runs} runs`)
  }
  await playSeeds(seeds, onPlayed, () => found.length >= MAX_FOUND || stop.aborted)
  save(sinceStart())
  for (const line of total.lines(sinceStart())) print(line)
  if (found.length > 0) await saveFailures(found, print)
  const missed = ended < MIN_RUNS_FOR_COVERAGE ? [] : NIGHT_COVERAGE.filter((mark) => !total.hasMet(mark))
  if (missed.length > 0) print(`FOUND: so many runs never met: ${missed.join(', ')}`)
  return found.length === 0 && missed.length === 0
}

function toSeedTasks(first: number, runs: number): readonly SeedTask[] {
  return Array.from({ length: runs }, (_, i) => ({ seed: first + i, isTwice: i % TWICE_EVERY === 0 }))
}

/**
 * Plays runs until each planted fault is found, and writes the table. Returns true if all were
 * found.
 */
export function findPlantedFaults(path: string, print: Print): Promise<boolean> {
  return withStores((stores) =>
    findEachFault({ planted: PLANTED_FAULTS, head: TABLE, path, print }, (one) => firstFinding(one, stores)),
  )
}

function firstFinding(planted: PlantedFault, stores: Stores): Promise<FaultFinding> {
  const { plant, file } = planted
  return findFirstFailure(async (seed) => {
    const faulty = plant(stores) // a new plant for each run: some count, or remember
    return file === undefined ? runMarket(seed, faulty, drawFaultChoices(planted)) : playFile(readRunFile(file), faulty)
  })
}

const TABLE = `# Faults planted in markets

A judge that finds nothing proves little unless it also finds planted faults. Each fault of this table is planted alone in a wallet, the
gateway or the platform of a [simulated market](../../../docs/concepts/simulated-markets.md). Markets run from seed 1 until one fails. The
checks play that run. \`npm run simulate -- --planted packages/simulator/src/reports/planted-faults.md\` writes this page.
`

/** Plays a saved run. Returns true without findings. */
export function replayRunFile(path: string, print: Print): Promise<boolean> {
  return withStores(async (stores) => {
    const result = await playFile(readRunFile(path), stores)
    printEvents(result, print)
    if (result.complaints.length === 0) print('as it must be')
    return result.complaints.length === 0
  })
}

/** Returns true if the shortened run has no findings any more. */
export function shrinkRunFile(path: string, print: Print): Promise<boolean> {
  return withStores(async (stores) => {
    const file = readRunFile(path)
    const shorter = await shrinkRun(
      file,
      (one) => playFile(one, stores),
      SHRINKING_RUNS,
      (left) => print(`${left} choices`),
    )
    writeRunFile(path, shorter)
    const result = await playFile(shorter, stores)
    printEvents(result, print)
    print(`${file.choices.length} choices became ${shorter.choices.length}: npm run simulate -- --file ${path}`)
    return result.complaints.length === 0
  })
}

function saveFailures(found: readonly RunResult[], print: Print): Promise<void> {
  return withStores(async (stores) => {
    for (const result of found) await saveFailure(2, result, (file) => playFile(file, stores), print)
  })
}
