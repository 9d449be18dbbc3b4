/** Runs with real locks, one after another, each from its seed; and runs that are kept. */
import { world } from '../../runtime/world.ts'
import { WrongUse } from '../../runtime/wrong-use.ts'
import { followChoices } from '../market/choices.ts'
import type { Wanted } from '../market/command.ts'
import { keepFailure, type Say, tellEvents } from '../market/failure.ts'
import { findEach, firstOf } from '../market/planted/table.ts'
import { type RunFile, readRunFile, shrink, writeRunFile } from '../market/run-file.ts'
import { type Base, makeBase } from './base.ts'
import { MUST_BE_MET, SET_FREE_AT_ONCE } from './marks.ts'
import type { Misfortune } from './misfortunes.ts'
import { PLANTED } from './planted.ts'
import { type LocksResult, runLocks } from './run.ts'
import type { Planted } from './scene.ts'

/** Of so many runs one is played twice: the same seed must come to the same. */
const TWICE_EVERY = 20
/** Runs that must meet everything (marks.ts). */
const ENOUGH_RUNS = 40
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000
/** Runs of the shrinking of a file that somebody has named. */
const SHRINKING_RUNS = 400
/** Findings after which no other run begins: they will not be of ten kinds. */
const MOST_FOUND = 10

async function withBase<T>(work: (base: Base) => Promise<T>): Promise<T> {
  const server = process.env.DATABASE_URL
  if (server === undefined)
    throw new WrongUse('level 3 needs DATABASE_URL, of a Postgres on which it may make databases of its own')
  const base = await makeBase(server)
  try {
    return await work(base)
  } finally {
    await base.drop()
  }
}

export function playLocksFile(
  { seed, choices }: Pick<RunFile<Misfortune>, 'seed' | 'choices'>,
  base: Base,
  planted?: Planted,
): Promise<LocksResult> {
  return runLocks(seed, base, planted, followChoices<Misfortune>(choices))
}

/** True when nothing was found. */
export function simulateLocks({ seed: first, runs }: Wanted, say: Say, progress = say): Promise<boolean> {
  return withBase((base) => simulate(base, { seed: first, runs }, say, progress))
}

async function simulate(base: Base, { seed: first, runs }: Wanted, say: Say, progress: Say): Promise<boolean> {
  const [startedAt, total] = [world.elapsed(), createTotal()]
  let [saidAt, playsTwiceFrom] = [startedAt, 0]
  const found: LocksResult[] = []
  for (let i = 0; i < runs && found.length < MOST_FOUND; i++) {
    const result = await runLocks(first + i, base)
    total.add(result)
    const isTwice = i >= playsTwiceFrom && result.complaints.length === 0 && !result.marks.has(SET_FREE_AT_ONCE)
    if (isTwice) playsTwiceFrom = i + TWICE_EVERY
    const failed = isTwice ? await playAgain(result, base) : result
    if (failed !== undefined && failed.complaints.length > 0) found.push(failed)
    if (world.elapsed() - saidAt < PROGRESS_MS) continue
    saidAt = world.elapsed()
    progress(`${i + 1} of ${runs} runs`)
  }
  for (const line of total.lines(world.elapsed() - startedAt)) say(line)
  for (const one of found) await keepFailure<Misfortune>(3, one, (file) => playLocksFile(file, base), say)
  const missed = MUST_BE_MET.filter((mark) => !total.hasMet(mark))
  const isEnough = runs >= ENOUGH_RUNS
  if (missed.length > 0) say(`${isEnough ? 'FOUND: ' : ''}never met: ${missed.join(', ')}`)
  return found.length === 0 && (missed.length === 0 || !isEnough)
}

function createTotal() {
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

/** Undefined: it came to the same. */
async function playAgain(before: LocksResult, base: Base): Promise<LocksResult | undefined> {
  const again = await runLocks(before.seed, base)
  if (again.hash === before.hash) return undefined
  const at = again.story.findIndex((event, i) => event !== before.story[i])
  const differ = `${before.hash} and ${again.hash}, first at "${before.story[at]}" and "${again.story[at]}"`
  return { ...again, complaints: [`played twice, it came to ${differ}`] }
}

/** Plays a kept run. True when nothing was found. */
export function playKeptLocks(path: string, say: Say): Promise<boolean> {
  return withBase(async (base) => {
    const result = await playLocksFile(readRunFile<Misfortune>(path), base)
    tellEvents(result, say)
    if (result.complaints.length === 0) say('as it must be')
    return result.complaints.length === 0
  })
}

/** Makes a kept run shorter, in its file. True when there was nothing to be found in it any more. */
export function shrinkKeptLocks(path: string, say: Say): Promise<boolean> {
  return withBase(async (base) => {
    const file = readRunFile<Misfortune>(path)
    const shorter = await shrink(
      file,
      (one) => playLocksFile(one, base),
      SHRINKING_RUNS,
      (left) => say(`${left} choices`),
    )
    writeRunFile(path, shorter)
    const result = await playLocksFile(shorter, base)
    tellEvents(result, say)
    say(`${file.choices.length} choices became ${shorter.choices.length}: npm run simulate -- --file ${path}`)
    return result.complaints.length === 0
  })
}

/** Runs until each planted fault is found, and writes the table of what found it. True when all were. */
export function findPlantedLocks(path: string, say: Say): Promise<boolean> {
  return withBase((base) =>
    findEach({ planted: PLANTED, head: TABLE, path, say }, (one) =>
      firstOf((seed) => runLocks(seed, base, one), one.seed),
    ),
  )
}

const TABLE = `# Faults planted beside real locks

Each of these faults is planted alone around the wallets or the platform of a run with [real locks](../concepts/reliability.md#real-locks), and runs are played
from the one on that found it before. The checks play that one. Written by
\`npm run simulate -- --level 3 --planted docs/internals/planted-faults-locks.md\`.
`
