/**
 * Short fuzzing from a fixed seed has no finding in our code, and finds each planted fault.
 *
 * `npm run fuzz -- --night` is the long run. This file needs its own process, as every long test
 * has: V8 counts blocks only of code that is compiled after the counting began.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { corpusFiles, keepInput, readInput } from './corpus.ts'
import { PLANTED } from './planted.ts'
import { complaintOf, fuzz, makeInput, startsOf } from './run.ts'
import { countSteps } from './steps.ts'
import { shareOf, TARGETS } from './targets.ts'

const SEED = 17
const INPUTS = 6_000
/** Inputs in which a planted fault must be found. */
const MOST = 3_000

const steps = countSteps()
afterAll(() => steps.close())

test.each(TARGETS.map((target) => [target.name, target] as const))(
  'the fuzz target %s has no findings',
  async (name, target) => {
    const { found } = await fuzz(target, { seed: SEED, inputs: Math.trunc(INPUTS * shareOf(name)) }, steps)
    expect(found?.complaint).toBeUndefined()
  },
)

const KEPT = TARGETS.flatMap((target) => corpusFiles(target.name).map(({ path }) => [path, target] as const))

test.each(KEPT)('the saved input %s has no findings', async (path, target) => {
  expect(await complaintOf(target, readInput(path), steps)).toBeUndefined()
})

describe('the fuzzer finds the planted fault that', () => {
  test.each(PLANTED.map(({ what, target }) => [what, target] as const))('%s', async (_what, target) => {
    const { found } = await fuzz(target, { seed: SEED, inputs: MOST, shrinkTries: 0 }, steps)
    expect(found?.complaint).toBeDefined()
  })
})

test('an input is reproduced by target, seed and number, and by its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-fuzz-'))
  for (const target of TARGETS)
    for (const number of [0, 1, 99]) {
      const made = () => makeInput(target, startsOf(target), SEED, number)
      const [kept, again] = [readInput(keepInput(target.name, made(), folder)), made()]
      expect(Object.keys(kept)).toEqual(Object.keys(again))
      expect(Object.keys(kept).filter((part) => !kept[part]?.equals(again[part] as Buffer))).toEqual([])
    }
  rmSync(folder, { recursive: true })
})
