/** Markets one after another, each from its seed: progress, what was met, and of a failure its story and the command that plays it again. */
import { world } from '../../runtime/world.ts'
import { type RunResult, runMarket } from './run.ts'
import { makeStore } from './store.ts'

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
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000

/** True when nothing was found. */
export async function simulateMarkets({ seed: first, runs }: Wanted, say: Say): Promise<boolean> {
  const stores = { wallet: await makeStore('wallet'), platform: await makeStore('platform') }
  const [startedAt, total] = [world.elapsed(), createTotal()]
  let saidAt = startedAt
  let found: RunResult | undefined
  for (let i = 0; i < runs && found === undefined; i++) {
    const result = await runMarket(first + i, stores)
    total.add(result)
    found = result.complaints.length > 0 ? result : undefined
    if (found === undefined && i % TWICE_EVERY === 0) found = await playAgain(result, stores)
    if (world.elapsed() - saidAt < PROGRESS_MS) continue
    saidAt = world.elapsed()
    say(`${i + 1} of ${runs} runs`)
  }
  for (const line of total.lines(Math.max(1, world.elapsed() - startedAt))) say(line)
  if (found !== undefined) tell(found, say)
  await Promise.all([stores.wallet.close(), stores.platform.close()])
  return found === undefined
}

async function playAgain(before: RunResult, stores: Parameters<typeof runMarket>[1]): Promise<RunResult | undefined> {
  const again = await runMarket(before.seed, stores)
  if (again.hash === before.hash) return undefined
  return { ...again, complaints: [`played twice, it came to ${before.hash} and to ${again.hash}`] }
}

function tell({ seed, complaints, story }: RunResult, say: Say): void {
  say(`seed ${seed}, its last events:`)
  for (const event of story.slice(-TOLD)) say(`  ${event}`)
  for (const complaint of complaints) say(`FOUND: ${complaint}`)
  say(`again: npm run simulate -- --level 2 --seed ${seed} --runs 1`)
}

function createTotal() {
  const marks = new Map<string, number>()
  const sum = { runs: 0, events: 0, bets: 0, simulatedMs: 0 }
  const hashes: string[] = []
  return {
    add(result: RunResult) {
      sum.runs += 1
      sum.events += result.story.length
      sum.bets += result.bets
      sum.simulatedMs += result.simulatedMs
      hashes.push(result.hash)
      for (const [name, count] of result.marks) marks.set(name, (marks.get(name) ?? 0) + count)
    },
    *lines(tookMs: number) {
      const perSecond = Math.trunc(sum.simulatedMs / tookMs)
      yield `${sum.runs} runs, ${sum.bets} bets, ${sum.events} events, ${Math.trunc(sum.simulatedMs / 1_000)} simulated seconds in ${Math.trunc(tookMs / 1_000)} s: ${perSecond} a second`
      yield `met: ${[...marks]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => `${count} × ${name}`)
        .join(', ')}`
      yield `hashes: ${hashes.slice(0, 5).join(' ')}`
    },
  }
}
