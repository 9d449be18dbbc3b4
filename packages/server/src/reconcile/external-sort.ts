/**
 * External merge sort for a stream of any size. Sorted runs are written to files, and then merged.
 * Memory holds one run while writing, and a few lines of each run while reading.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compareIds, type Pages, type WalletSide } from './bet-sides.ts'

/** Bets per run, some 30 MB. */
export const RUN_LENGTH = 100_000
/** Bets per page of the result. */
const PAGE = 1_000

export interface SortedPages<T> {
  readonly pages: Pages<T>
  close(): Promise<void>
}

type Compare<T> = (a: T, b: T) => number

export async function sortById<T>(
  source: AsyncIterable<readonly T[]>,
  compare: Compare<T>,
  runLength = RUN_LENGTH,
): Promise<SortedPages<T>> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-reconcile-'))
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const { files, rest } = await writeRuns(source, folder, runLength, compare)
    const runs = [...files.map((path) => readRun<T>(path)), iterateItems(rest)]
    return { pages: toPages(mergeRuns(runs, compare), compare), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns 0 only for the same bet. */
export function compareIdAndPlayer(a: WalletSide, b: WalletSide): number {
  return compareIds(a.betId, b.betId) || compareIds(a.player, b.player) || compareIds(a.ownId, b.ownId)
}

async function writeRuns<T>(
  source: AsyncIterable<readonly T[]>,
  folder: string,
  runLength: number,
  compare: Compare<T>,
) {
  const files: string[] = []
  let rest: T[] = []
  for await (const page of source) {
    rest.push(...page)
    if (rest.length < runLength) continue
    const path = join(folder, `${files.length}.ndjson`)
    const lines = rest.sort(compare).map((side) => `${JSON.stringify(side)}\n`)
    await writeFile(path, lines, { mode: 0o600 })
    files.push(path)
    rest = []
  }
  return { files, rest: rest.sort(compare) }
}

async function* readRun<T>(path: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    yield JSON.parse(line) as T
  }
}

async function* iterateItems<T>(sides: readonly T[]): AsyncGenerator<T> {
  yield* sides
}

async function* mergeRuns<T>(runs: readonly AsyncGenerator<T>[], compare: Compare<T>): AsyncGenerator<T> {
  const heads = await Promise.all(runs.map(async (run) => ({ run, next: await run.next() })))
  for (;;) {
    const first = heads.reduce<(typeof heads)[number] | undefined>((best, head) => {
      if (head.next.done) return best
      return best === undefined || best.next.done || compare(head.next.value, best.next.value) < 0 ? head : best
    }, undefined)
    if (first === undefined || first.next.done) return
    yield first.next.value
    first.next = await first.run.next()
  }
}

/** Skips duplicates: a bet that moved to the next page during the reading appears twice. */
async function* toPages<T>(sides: AsyncIterable<T>, compare: Compare<T>): AsyncGenerator<T[]> {
  let page: T[] = []
  let last: T | undefined
  for await (const side of sides) {
    if (last !== undefined && compare(last, side) === 0) continue
    last = side
    page.push(side)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
