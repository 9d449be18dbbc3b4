/** Markets one after another, each from its seed: progress, what was met, and of a failure its story and the command that plays it again. */
import { writeFileSync } from 'node:fs'
import { stopSignal } from '../../process/stopping.ts'
import { world } from '../../runtime/world.ts'
import { commitOf } from '../figures.ts'
import { playSeeds } from './crew.ts'
import type { Stores } from './market.ts'
import { MUST_BE_MET } from './marks.ts'
import { PLANTED } from './planted/planted.ts'
import { choicesFor, type Planted } from './planted/row.ts'
import { createTotal, type Played } from './played.ts'
import { readyStores } from './ready.ts'
import { type RunResult, runMarket } from './run.ts'
import { kindOfComplaint, playFile, readRunFile, shrink, writeRunFile } from './run-file.ts'
import { closeStores } from './store.ts'

export interface Wanted {
  /** Of the first run. */
  readonly seed: number
  readonly runs: number
}

/** Events that a failure tells. */
const TOLD = 80

type Say = (line: string) => void

/** Of so many runs one is played twice: the same seed must come to the same. */
const TWICE_EVERY = 20
/** Runs that must meet everything that a night must meet. */
const ENOUGH_RUNS = 500
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000
/** Runs of one shrinking: of a file that somebody has named, and of one that has just been found. */
const SHRINKING_RUNS = 400
const AT_ONCE_RUNS = 100
/** Findings after which no other run begins: they will not be of ten kinds. */
const MOST_FOUND = 10
/** Runs in which a planted fault must be found. */
const MOST_RUNS = 50

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await readyStores()
  try {
    return await work(stores)
  } finally {
    await closeStores(stores)
  }
}

/** True when nothing was found. */
export async function simulateMarkets({ seed: first, runs }: Wanted, say: Say, progress: Say): Promise<boolean> {
  const [startedAt, total, stop] = [world.elapsed(), createTotal(), stopSignal()]
  let [saidAt, ended] = [startedAt, 0]
  const found: RunResult[] = []
  const seeds = Array.from({ length: runs }, (_, i) => ({ seed: first + i, isTwice: i % TWICE_EVERY === 0 }))
  const seen = (played: Played) => {
    total.add(played)
    if (played.failed !== undefined) found.push(played.failed)
    ended += 1
    if (world.elapsed() - saidAt < PROGRESS_MS) return
    saidAt = world.elapsed()
    progress(`${ended} of ${runs} runs`)
  }
  await playSeeds(seeds, seen, () => found.length >= MOST_FOUND || stop.aborted)
  for (const line of total.lines(Math.max(1, world.elapsed() - startedAt))) say(line)
  if (found.length > 0) await keepAll(found, say)
  const missed = ended < ENOUGH_RUNS ? [] : MUST_BE_MET.filter((mark) => !total.hasMet(mark))
  if (missed.length > 0) say(`FOUND: so many runs never met: ${missed.join(', ')}`)
  return found.length === 0 && missed.length === 0
}

/** Runs until each planted fault is found, and writes the table of what found it. True when all were. */
export function findPlanted(path: string, say: Say): Promise<boolean> {
  return withStores(async (stores) => {
    const rows: string[] = []
    const seeds: number[] = []
    for (const planted of PLANTED) {
      const { fault, breaks, file } = planted
      const { seed, found } = await firstFinding(planted, stores)
      if (found !== '') seeds.push(seed)
      const run = found === '' ? `not in ${MOST_RUNS}` : file === undefined ? `${seed}` : `[kept](../../${file})`
      say(`${fault}: ${run}, ${found}`)
      rows.push(`| ${fault} | ${linked(breaks)} | ${run} | ${found.replaceAll('|', ' ')} |`)
    }
    const median = seeds.sort((a, b) => a - b)[Math.floor(seeds.length / 2)]
    const sum = `${seeds.length} of ${rows.length} were found, one half of them by run ${median}.`
    writeFileSync(path, `${TABLE}${rows.join('\n')}\n\n${sum}\n`)
    say(sum)
    return seeds.length === rows.length
  })
}

async function firstFinding(planted: Planted, stores: Stores): Promise<{ seed: number; found: string }> {
  const { plant, file } = planted
  for (let seed = 1; seed <= MOST_RUNS; seed++) {
    const faulty = plant(stores) // anew: some count, or remember
    const { complaints } =
      file === undefined
        ? await runMarket(seed, faulty, choicesFor(planted))
        : await playFile(readRunFile(file), faulty)
    const found = kindOfComplaint(complaints[0] ?? '').replace(/:$/, '')
    if (found !== '') return { seed, found }
  }
  return { seed: MOST_RUNS, found: '' }
}

function linked(breaks: string): string {
  if (!/^[A-Z]-\d+$/.test(breaks)) return breaks
  const page = breaks.startsWith('G-') ? 'concepts/gateway.md' : 'reference/decisions.md'
  return `[${breaks}](../${page}#${breaks.toLowerCase()})`
}

const TABLE = `# Faults planted in markets

A judge that finds nothing proves little unless it finds what is there. Each of these faults is planted alone around a wallet, the gateway or the platform of
a [simulated market](../concepts/reliability.md#markets-from-seeds), and markets are played from seed 1 on until one complains. The checks play the
run that found it. Written by \`npm run simulate -- --planted docs/internals/planted-faults.md\`.

| Fault | Breaks | Found in run | The first complaint |
|---|---|---|---|
`

/** Plays a kept run. True when nothing was found. */
export function playKept(path: string, say: Say): Promise<boolean> {
  return withStores(async (stores) => {
    const result = await playFile(readRunFile(path), stores)
    tell(result, say)
    if (result.complaints.length === 0) say('as it must be')
    return result.complaints.length === 0
  })
}

/** Makes a kept run shorter, in its file. True when there was nothing to be found in it any more. */
export function shrinkKept(path: string, say: Say): Promise<boolean> {
  return withStores(async (stores) => {
    const file = readRunFile(path)
    const shorter = await shrink(file, stores, SHRINKING_RUNS, (left) => say(`${left} choices`))
    writeRunFile(path, shorter)
    const result = await playFile(shorter, stores)
    tell(result, say)
    say(`${file.choices.length} choices became ${shorter.choices.length}: npm run simulate -- --file ${path}`)
    return result.complaints.length === 0
  })
}

function keepAll(found: readonly RunResult[], say: Say): Promise<void> {
  return withStores(async (stores) => {
    for (const result of found) await keep(result, stores, say)
  })
}

async function keep(result: RunResult, stores: Stores, say: Say): Promise<void> {
  const { seed, complaints, choices } = result
  const [path, commit] = [`simulation-${seed}.json`, commitOf()]
  const kept = { seed, commit, found: kindOfComplaint(complaints[0] ?? ''), choices }
  writeRunFile(path, kept)
  say(`seed ${seed}, commit ${commit}:`)
  tell(result, say)
  say(`again: npm run simulate -- --level 2 --seed ${seed} --runs 1`)
  const shorter = await shrink(kept, stores, AT_ONCE_RUNS)
  writeRunFile(path, shorter)
  say(`kept, for when the code has changed: npm run simulate -- --file ${path}`)
  say(`${choices.length} choices became ${shorter.choices.length}; with more patience: --shrink ${path}`)
}

function tell({ complaints, story }: RunResult, say: Say): void {
  say('its last events:')
  for (const event of story.slice(-TOLD)) say(`  ${event}`)
  for (const complaint of complaints) say(`FOUND: ${complaint}`)
}
