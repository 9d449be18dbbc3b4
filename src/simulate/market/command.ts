/** Markets one after another, each from its seed: progress, what was met, and of a failure its story and the command that plays it again. */
import { stopSignal } from '../../process/stopping.ts'
import { world } from '../../runtime/world.ts'
import { commitOf } from '../figures.ts'
import { playSeeds } from './crew.ts'
import { keepFailure, type Say, tellEvents } from './failure.ts'
import type { Stores } from './market.ts'
import { MUST_BE_MET } from './marks.ts'
import { openNight } from './night.ts'
import { PLANTED } from './planted/planted.ts'
import { choicesFor, type Planted } from './planted/row.ts'
import { type Finding, findEach, firstOf } from './planted/table.ts'
import { createTotal, type Played, type Total } from './played.ts'
import { readyStores } from './ready.ts'
import { type RunResult, runMarket } from './run.ts'
import { playFile, readRunFile, shrink, writeRunFile } from './run-file.ts'
import { closeStores } from './store.ts'
import type { ToWorker } from './worker.ts'

export interface Wanted {
  /** Of the first run. */
  readonly seed: number
  readonly runs: number
}

/** Of so many runs one is played twice: the same seed must come to the same. */
const TWICE_EVERY = 20
/** Runs that must meet everything that a night must meet. */
const ENOUGH_RUNS = 500
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000
/** Runs of the shrinking of a file that somebody has named. */
const SHRINKING_RUNS = 400
/** Findings after which no other run begins: they will not be of ten kinds. */
const MOST_FOUND = 10

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await readyStores()
  try {
    return await work(stores)
  } finally {
    await closeStores(stores)
  }
}

/** True when nothing was found. */
export function simulateMarkets({ seed: first, runs }: Wanted, say: Say, progress: Say): Promise<boolean> {
  return playAll({ seeds: seedsOf(first, runs), ended: 0, runs, total: createTotal(), save: () => {} }, say, progress)
}

export type NightEnd = 'good' | 'found' | 'runs are left'

/** A night in pieces (night.ts). Good when all of its runs were played, by this piece or an earlier one, and nothing was found by this one. */
export async function simulateNight(
  path: string,
  { seed: first, runs }: Wanted,
  say: Say,
  progress: Say,
): Promise<NightEnd> {
  const night = openNight(path, commitOf())
  const seeds = seedsOf(first, runs).filter(({ seed }) => !night.hasPlayed(seed))
  const series = { seeds, ended: runs - seeds.length, runs, total: night, save: night.save }
  const isGood = await playAll(series, say, progress)
  const left = seeds.filter(({ seed }) => !night.hasPlayed(seed)).length
  if (left > 0) say(`${left} of ${runs} runs are left: the same command goes on`)
  return !isGood ? 'found' : left > 0 ? 'runs are left' : 'good'
}

interface Series {
  readonly seeds: readonly ToWorker[]
  /** Of `runs`, before these seeds. */
  readonly ended: number
  readonly runs: number
  readonly total: Pick<Total, 'add' | 'hasMet' | 'lines'>
  /** Told now and then, and in the end. */
  readonly save: (sinceStartMs: number) => void
}

async function playAll({ seeds, ended: before, runs, total, save }: Series, say: Say, progress: Say): Promise<boolean> {
  const [startedAt, stop] = [world.elapsed(), stopSignal()]
  const sinceStart = () => Math.max(1, world.elapsed() - startedAt)
  let [saidAt, ended] = [startedAt, before]
  const found: RunResult[] = []
  const seen = (played: Played) => {
    total.add(played)
    if (played.failed !== undefined) found.push(played.failed)
    ended += 1
    if (world.elapsed() - saidAt < PROGRESS_MS) return
    saidAt = world.elapsed()
    save(sinceStart())
    progress(`${ended} of ${runs} runs`)
  }
  await playSeeds(seeds, seen, () => found.length >= MOST_FOUND || stop.aborted)
  save(sinceStart())
  for (const line of total.lines(sinceStart())) say(line)
  if (found.length > 0) await keepAll(found, say)
  const missed = ended < ENOUGH_RUNS ? [] : MUST_BE_MET.filter((mark) => !total.hasMet(mark))
  if (missed.length > 0) say(`FOUND: so many runs never met: ${missed.join(', ')}`)
  return found.length === 0 && missed.length === 0
}

function seedsOf(first: number, runs: number): readonly ToWorker[] {
  return Array.from({ length: runs }, (_, i) => ({ seed: first + i, isTwice: i % TWICE_EVERY === 0 }))
}

/** Runs until each planted fault is found, and writes the table of what found it. True when all were. */
export function findPlanted(path: string, say: Say): Promise<boolean> {
  return withStores((stores) =>
    findEach({ planted: PLANTED, head: TABLE, path, say }, (one) => firstFinding(one, stores)),
  )
}

function firstFinding(planted: Planted, stores: Stores): Promise<Finding> {
  const { plant, file } = planted
  return firstOf(async (seed) => {
    const faulty = plant(stores) // anew: some count, or remember
    return file === undefined ? runMarket(seed, faulty, choicesFor(planted)) : playFile(readRunFile(file), faulty)
  })
}

const TABLE = `# Faults planted in markets

A judge that finds nothing proves little unless it finds what is there. Each of these faults is planted alone around a wallet, the gateway or the platform of
a [simulated market](../concepts/reliability.md#markets-from-seeds), and markets are played from seed 1 on until one complains. The checks play the
run that found it. Written by \`npm run simulate -- --planted docs/internals/planted-faults.md\`.
`

/** Plays a kept run. True when nothing was found. */
export function playKept(path: string, say: Say): Promise<boolean> {
  return withStores(async (stores) => {
    const result = await playFile(readRunFile(path), stores)
    tellEvents(result, say)
    if (result.complaints.length === 0) say('as it must be')
    return result.complaints.length === 0
  })
}

/** Makes a kept run shorter, in its file. True when there was nothing to be found in it any more. */
export function shrinkKept(path: string, say: Say): Promise<boolean> {
  return withStores(async (stores) => {
    const file = readRunFile(path)
    const shorter = await shrink(
      file,
      (one) => playFile(one, stores),
      SHRINKING_RUNS,
      (left) => say(`${left} choices`),
    )
    writeRunFile(path, shorter)
    const result = await playFile(shorter, stores)
    tellEvents(result, say)
    say(`${file.choices.length} choices became ${shorter.choices.length}: npm run simulate -- --file ${path}`)
    return result.complaints.length === 0
  })
}

function keepAll(found: readonly RunResult[], say: Say): Promise<void> {
  return withStores(async (stores) => {
    for (const result of found) await keepFailure(2, result, (file) => playFile(file, stores), say)
  })
}
