/**
 * Two wallets on a real Postgres, every statement released in seeded order, connections that break, delay and fall silent: the books come right.
 * One that failed is played alone with the command that the failure names.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Base, makeBase } from '../../src/simulate/locks/base.ts'
import { MUST_BE_MET, SET_FREE_AT_ONCE } from '../../src/simulate/locks/marks.ts'
import { PLANTED } from '../../src/simulate/locks/planted.ts'
import { type LocksResult, runLocks } from '../../src/simulate/locks/run.ts'

/** Runs after which all must have been met. */
const MOST_SEEDS = 10
/** Runs in which a planted fault must be found. */
const MOST_RUNS = 20

let base: Base

beforeAll(async () => {
  base = await makeBase(inject('postgresUrl'))
})
afterAll(() => base.drop())

function again({ seed, complaints }: LocksResult): string[] {
  return complaints.map((complaint) => `npm run simulate -- --level 3 --seed ${seed} --runs 1: ${complaint}`)
}

test('two wallets on one Postgres come right when all is calm, and the same seed is the same run', {
  timeout: 600_000,
}, async () => {
  const missed = new Set(MUST_BE_MET)
  let one: LocksResult | undefined
  for (let seed = 1; seed <= MOST_SEEDS && (missed.size > 0 || one === undefined); seed++) {
    const result = await runLocks(seed, base)
    expect(again(result)).toEqual([])
    for (const mark of result.marks.keys()) missed.delete(mark)
    if (!result.marks.has(SET_FREE_AT_ONCE)) one ??= result
  }
  expect([...missed]).toEqual([])
  const same = await runLocks(one!.seed, base)
  expect(same.story.find((event, i) => event !== one?.story[i])).toBeUndefined()
  expect(same.hash === one?.hash).toBe(true)
})

describe('it is found that', () => {
  test.each(PLANTED)('$fault', { timeout: 600_000 }, async ({ seed: first, plant }) => {
    const found: string[] = []
    for (let seed = first; seed < first + MOST_RUNS && found.length === 0; seed++)
      found.push(...(await runLocks(seed, base, plant)).complaints)
    expect(found.length).toBeGreaterThan(0)
  })
})
