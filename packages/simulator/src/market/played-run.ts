/** Plays one run and summarises its result. Adds up the summaries of many runs. */

import type { Stores } from './market.ts'
import { type RunResult, runMarket } from './market-run.ts'
import { idleReadSwitch } from './network/idle-read-cache.ts'

export interface PlayedRun extends Pick<RunResult, 'seed' | 'bets' | 'simulatedMs' | 'marks'> {
  readonly events: number
  readonly calls: number
  /** Undefined for a good run. */
  readonly failed: RunResult | undefined
}

/** `isTwice`: a second run must give the same result. */
export async function playSeed(seed: number, stores: Stores, isTwice: boolean): Promise<PlayedRun> {
  const result = await runMarket(seed, stores)
  const { bets, simulatedMs, marks, story, complaints, hash } = result
  const again = isTwice && complaints.length === 0 ? await withoutIdleReads(() => runMarket(seed, stores)) : result
  const isOther = again.hash !== hash
  const failed = isOther
    ? { ...again, complaints: [`played twice, it came to ${hash} and to ${again.hash}`, ...again.complaints] }
    : complaints.length > 0
      ? result
      : undefined
  const calls = story.filter((event) => event.includes(SENT)).length
  return { seed, bets, simulatedMs, marks, events: story.length, calls, failed }
}

async function withoutIdleReads<T>(work: () => Promise<T>): Promise<T> {
  idleReadSwitch.areKept = false
  try {
    return await work()
  } finally {
    idleReadSwitch.areKept = true
  }
}

/** The network writes it in the story for each sent message. */
const SENT = ' → '

/** Marks of deaths, set clocks, failing databases, and the network's faults. */
const FAULT = /^network: | dies |^a clock is set|^a database fails/

export interface TotalSnapshot {
  readonly sum: Readonly<Partial<typeof EMPTY_SUM>>
  readonly marks: Readonly<Record<string, number>>
}

const EMPTY_SUM = { runs: 0, events: 0, bets: 0, calls: 0, simulatedMs: 0 }

export interface RunTotal {
  hasMet(mark: string): boolean
  add(played: PlayedRun): void
  snapshot(): TotalSnapshot
  lines(tookMs: number): Iterable<string>
}

export function createRunTotal(before?: TotalSnapshot): RunTotal {
  const marks = new Map(Object.entries(before?.marks ?? {}))
  const sum = { ...EMPTY_SUM, ...before?.sum }
  return {
    hasMet: (mark) => marks.has(mark),
    snapshot: () => ({ sum, marks: Object.fromEntries(marks) }),
    add(played) {
      sum.runs += 1
      for (const name of ['events', 'bets', 'calls', 'simulatedMs'] as const) sum[name] += played[name]
      for (const [name, count] of played.marks) marks.set(name, (marks.get(name) ?? 0) + count)
    },
    *lines(tookMs) {
      const { runs, bets, calls, events, simulatedMs } = sum
      const all = [...marks].sort(([a], [b]) => (a < b ? -1 : 1))
      const faults = all.reduce((count, [name, times]) => count + (FAULT.test(name) ? times : 0), 0)
      const time = `${Math.trunc(simulatedMs / 1_000)} simulated seconds in ${Math.trunc(tookMs / 1_000)} s`
      yield `${runs} runs, ${bets} bets, ${calls} calls, ${faults} faults, ${events} events, ${time}: ${Math.trunc(simulatedMs / tookMs)} a second`
      yield `met: ${all.map(([name, count]) => `${count} × ${name}`).join(', ')}`
    },
  }
}
