/**
 * Adds up the results of many runs. A night is the longest series of runs. It can be played in
 * parts, with a file that keeps the results.
 *
 * The file records a failed run, but does not count it as played, so the next part plays the run
 * again.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { createRunTotal, type PlayedRun, type RunTotal, type TotalSnapshot } from './played-run.ts'
import { classifyComplaint } from './run-file.ts'

type SeedInterval = readonly [from: number, to: number]

interface NightFile {
  /** Played seeds: the first and the last one of each interval. */
  readonly seeds: readonly SeedInterval[]
  /** Runs by commit. */
  readonly commits: Readonly<Record<string, number>>
  readonly tookMs: number
  readonly total: TotalSnapshot
  /** All findings; some of their seeds may have passed since. */
  readonly found: readonly NightFinding[]
}

interface NightFinding {
  readonly seed: number
  readonly commit: string
  readonly complaint: string
}

const EMPTY_NIGHT: NightFile = { seeds: [], commits: {}, tookMs: 0, total: { sum: {}, marks: {} }, found: [] }

export interface Night extends Pick<RunTotal, 'hasMet'> {
  hasPlayed(seed: number): boolean
  add(played: PlayedRun): void
  /** `pieceMs`: the duration of this piece. */
  save(pieceMs: number): void
  lines(pieceMs: number): Iterable<string>
}

/** Throws UsageError if the file has another content. */
export function openNight(path: string, commit: string): Night {
  const before = existsSync(path) ? readNight(path) : EMPTY_NIGHT
  const played = new Set(before.seeds.flatMap(expandInterval))
  const commits = { ...before.commits }
  const total = createRunTotal(before.total)
  const found = [...before.found]
  return {
    hasMet: total.hasMet,
    hasPlayed: (seed) => played.has(seed),
    add(one) {
      if (one.failed !== undefined) {
        found.push({ seed: one.seed, commit, complaint: classifyComplaint(one.failed.complaints[0] ?? '') })
        return
      }
      played.add(one.seed)
      commits[commit] = (commits[commit] ?? 0) + 1
      total.add(one)
    },
    save(pieceMs) {
      const file: NightFile = {
        seeds: toIntervals(played),
        commits,
        tookMs: before.tookMs + pieceMs,
        total: total.snapshot(),
        found,
      }
      writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 1)}\n`)
      renameSync(`${path}.new`, path) // an interrupted write leaves the old file complete
    },
    *lines(pieceMs) {
      const by = Object.entries(commits).map(([name, runs]) => `${runs} by commit ${name}`)
      yield `seeds ${toIntervals(played).map(formatInterval).join(', ')}: ${by.join(', ')}`
      yield* total.lines(before.tookMs + pieceMs)
      for (const { seed, commit: by, complaint } of found)
        yield `seed ${seed}, found by commit ${by}${played.has(seed) ? ', passed since' : ''}: ${complaint}`
    },
  }
}

function readNight(path: string): NightFile {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as Partial<NightFile>
    const { seeds, commits, tookMs, total, found = [] } = file
    const isWhole = typeof tookMs === 'number' && commits !== undefined && total !== undefined
    if (isWhole && seeds?.every(isRange)) return { seeds, commits, tookMs, total, found }
  } catch {
    // the error below explains it
  }
  throw new UsageError(`${path} is not the file of a night that was begun: choose another file`)
}

const isRange = (row: unknown) => Array.isArray(row) && row.length === 2 && row.every(Number.isInteger)

export function toIntervals(numbers: Iterable<number>): SeedInterval[] {
  const ranges: [from: number, to: number][] = []
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges
}

const expandInterval = ([from, to]: SeedInterval) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** `1 to 40`, or `43`. */
const formatInterval = ([from, to]: SeedInterval) => (from === to ? `${from}` : `${from} to ${to}`)
