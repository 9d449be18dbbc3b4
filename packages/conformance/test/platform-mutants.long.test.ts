/**
 * The kit for platforms passes a correct platform in every case. Each mutant fails the case about
 * its fault, and every case has a mutant.
 *
 * Each day the test judges one mutant in fifteen, and each mutant without a row in the table of the
 * documentation. The table holds the results; `PURSER_NIGHTLY=1 npx vitest run
 * packages/conformance/test/platform-mutants.long.test.ts -u` writes it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { isDue } from '../../server/test/support/nightly.ts'
import { PLATFORM_CASES } from '../src/platform/platform-cases.ts'
import type { Mutant } from './platform-mutants/fault.ts'
import { failing, type JudgeOptions, judgeTestPlatform, notPassed } from './platform-mutants/judged.ts'
import { MUTANTS } from './platform-mutants/mutants.ts'
import { readRows, writeTable } from './platform-mutants/table.ts'

const TABLE = new URL('../../../docs/reference/conformance-platform-mutants.md', import.meta.url).pathname
/** Concurrent runs. With more, their own delays would be judged. */
const AT_ONCE = 5
/** Milliseconds between their starts, because the first second of a run is the busiest. */
const START_GAP_MS = 500
/**
 * A busy machine can fail a case about time, or hide a fault. A case that does not detect its
 * mutant never fails.
 */
const MAX_RUNS = 4
const ALL = PLATFORM_CASES.map(({ id }) => id)
/**
 * This case measures the delay of other partners, so on a busy machine it fails with any fault. It
 * is compared only for its own mutant.
 */
const OF_DELAYS = 'platform-isolation-01'

/** Days until each mutant was judged. */
const DAYS = 15
const ROWS = readRows(existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '')
const JUDGED = MUTANTS.filter(({ name }, i) => isDue(i, DAYS) || !ROWS.has(name))

/** A mutant that is not judged keeps its row. */
const failed = new Map<string, readonly string[]>(ROWS)

/**
 * Judges a mutant in at most MAX_RUNS runs.
 *
 * - Expected failures: one run finds exactly these, or some runs find each, and no other failure is
 *   in every run.
 * - Otherwise: the failures of every run, or of two runs in a row.
 */
async function judgeOften(options: JudgeOptions, find: typeof failing, expected?: readonly string[]) {
  let always = ALL
  const ever = new Set<string>()
  for (let run = 0; run < MAX_RUNS; run += 1) {
    const now = find(await judgeTestPlatform(options))
    if (isSame(now, expected ?? always)) return now
    always = always.filter((id) => now.includes(id))
    for (const id of now) ever.add(id)
  }
  if (expected === undefined) return always
  const isAsExpected = expected.every((id) => ever.has(id)) && always.every((id) => expected.includes(id))
  return isAsExpected ? expected : always
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join() === b.toSorted().join()
}

beforeAll(async () => {
  await judgeTestPlatform({}) // the first run of a process is slow
  const judge = async ({ name, fault, caughtBy, slow, alone }: Mutant) => {
    const options = { fault, slow: slow === true, only: alone && caughtBy }
    const find: typeof failing = (...run) => failing(...run).filter((id) => id !== OF_DELAYS || caughtBy === OF_DELAYS)
    failed.set(name, await judgeOften(options, find, ROWS.get(name)))
  }
  const queue = [...JUDGED]
  const work = async () => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) await judge(mutant)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => sleep(i * START_GAP_MS).then(work)))
  // On a slow machine the load of the others can fail the same case four times in a row.
  const isOther = ({ name }: Mutant) => !isSame(failed.get(name) ?? [], ROWS.get(name) ?? [])
  for (const mutant of JUDGED.filter(isOther)) await judge(mutant)
}, 900_000)

test.each([false, true])('the correct platform passes every case, slow ones: %s', async (slow) => {
  expect(await judgeOften({ slow }, notPassed, [])).toEqual([])
})

test.each(JUDGED.map(({ name, caughtBy }) => [name, caughtBy]))('a platform that %s fails %s', (name, caughtBy) => {
  expect(failed.get(name)).toContain(caughtBy)
})

test('every platform case has a mutant that fails it', () => {
  expect(ALL.filter((id) => !MUTANTS.some(({ caughtBy }) => caughtBy === id))).toEqual([])
})

test('the mutant table of the documentation matches the results', async () => {
  await expect(writeTable(MUTANTS, failed)).toMatchFileSnapshot(TABLE)
})
