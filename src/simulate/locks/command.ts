/** Runs with real locks, one after another, each from its seed. */
import { world } from '../../runtime/world.ts'
import { WrongUse } from '../../runtime/wrong-use.ts'
import { commitOf } from '../figures.ts'
import type { Wanted } from '../market/command.ts'
import { type Base, makeBase } from './base.ts'
import { MUST_BE_MET, SET_FREE_AT_ONCE } from './marks.ts'
import { type LocksResult, runLocks } from './run.ts'

type Say = (line: string) => void

/** Events that a failure tells. */
const TOLD = 80
/** Of so many runs one is played twice: the same seed must come to the same. */
const TWICE_EVERY = 20
/** Runs that must meet everything (marks.ts). */
const ENOUGH_RUNS = 40
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000

/** True when nothing was found. */
export async function simulateLocks({ seed: first, runs }: Wanted, say: Say, progress: Say): Promise<boolean> {
  const server = process.env.DATABASE_URL
  if (server === undefined)
    throw new WrongUse('level 3 needs DATABASE_URL, of a Postgres on which it may make a database of its own')
  const base = await makeBase(server)
  try {
    return await simulate(base, { seed: first, runs }, say, progress)
  } finally {
    await base.drop()
  }
}

async function simulate(base: Base, { seed: first, runs }: Wanted, say: Say, progress: Say): Promise<boolean> {
  const startedAt = world.elapsed()
  const marks = new Map<string, number>()
  const sum = { runs: 0, calls: 0, events: 0 }
  let saidAt = startedAt
  let playsTwiceFrom = 0
  let found: LocksResult | undefined
  for (let i = 0; i < runs && found === undefined; i++) {
    const result = await runLocks(first + i, base)
    sum.runs += 1
    sum.calls += result.calls
    sum.events += result.story.length
    for (const [name, count] of result.marks) marks.set(name, (marks.get(name) ?? 0) + count)
    found = result.complaints.length > 0 ? result : undefined
    if (found === undefined && i >= playsTwiceFrom && !result.marks.has(SET_FREE_AT_ONCE)) {
      playsTwiceFrom = i + TWICE_EVERY
      found = await playAgain(result, base)
    }
    if (world.elapsed() - saidAt < PROGRESS_MS) continue
    saidAt = world.elapsed()
    progress(`${i + 1} of ${runs} runs`)
  }
  const seconds = Math.trunc((world.elapsed() - startedAt) / 1_000)
  say(`${sum.runs} runs, ${sum.calls} calls, ${sum.events} events in ${seconds} s`)
  const met = [...marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${count} × ${name}`)
  say(`met: ${met.join(', ')}`)
  const missed = MUST_BE_MET.filter((mark) => !marks.has(mark))
  if (missed.length > 0) say(`${runs < ENOUGH_RUNS ? '' : 'FOUND: '}never met: ${missed.join(', ')}`)
  if (found !== undefined) tell(found, say)
  return found === undefined && (missed.length === 0 || runs < ENOUGH_RUNS)
}

async function playAgain(before: LocksResult, base: Base): Promise<LocksResult | undefined> {
  const again = await runLocks(before.seed, base)
  if (again.hash === before.hash) return undefined
  const at = again.story.findIndex((event, i) => event !== before.story[i])
  const differ = `${before.hash} and ${again.hash}, first at "${before.story[at]}" and "${again.story[at]}"`
  return { ...again, complaints: [`played twice, it came to ${differ}`] }
}

function tell({ seed, complaints, story }: LocksResult, say: Say): void {
  say(`seed ${seed}, commit ${commitOf()}, its last events:`)
  for (const event of story.slice(-TOLD)) say(`  ${event}`)
  for (const complaint of complaints) say(`FOUND: ${complaint}`)
  say(`again: npm run simulate -- --level 3 --seed ${seed} --runs 1`)
}
