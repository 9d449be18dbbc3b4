/**
 * Two wallet processes and a platform on a real Postgres have right books after faults drawn from a
 * seed.
 *
 * SQL statements and messages are released in an order drawn from the seed. Connections break,
 * delay and fall silent; processes die, and a standby lags. A failure names the command that plays
 * its run alone.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { classifyComplaint, listRunFiles, readRunFile, shrinkRun } from '../src/market/run-file.ts'
import type { ProcessFault } from '../src/postgres/faults/crash-faults.ts'
import { findLocksFault, LOCKS_FAULTS } from '../src/postgres/faults/locks-planted-faults.ts'
import { createLocksBase, type LocksBase } from '../src/postgres/locks-base.ts'
import { playLocksFile } from '../src/postgres/locks-command.ts'
import { LOCKS_COVERAGE, SET_FREE_AT_ONCE } from '../src/postgres/locks-coverage.ts'
import { type LocksResult, runLocks } from '../src/postgres/locks-run.ts'

/**
 * Together these runs reach every situation: a failover, a kill, and most others. A changed
 * statement changes the runs.
 */
const SEEDS = [1, 7, 6]
const CORPUS = 'packages/simulator/test/corpus'

let base: LocksBase

beforeAll(async () => {
  base = await createLocksBase(inject('postgresUrl'))
})
afterAll(() => base.drop())

function again({ seed, complaints }: LocksResult): string[] {
  return complaints.map((complaint) => `npm run simulate -- --level 3 --seed ${seed} --runs 1: ${complaint}`)
}

test('a simulated run without faults has no findings, and the same seed repeats the run', {
  timeout: 600_000,
}, async () => {
  const missed = new Set(LOCKS_COVERAGE)
  let one: LocksResult | undefined
  for (const seed of SEEDS) {
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

test.each(listRunFiles(CORPUS, 3))(
  'a saved run has no findings, and still finds its planted fault: %s',
  { timeout: 600_000 },
  async (path) => {
    const kept = readRunFile<ProcessFault>(path)
    expect((await playLocksFile(kept, base)).complaints).toEqual([])
    const { complaints } = await playLocksFile(kept, base, findLocksFault(kept.planted ?? ''))
    expect(complaints.map(classifyComplaint)).toContain(kept.found)
  },
)

test('the recorded choices of a run reproduce its finding, and so do fewer choices', { timeout: 600_000 }, async () => {
  const planted = findLocksFault('a wallet remembers balances')
  const { choices, complaints, hash } = await runLocks(planted.seed, base, planted)
  const file = { seed: planted.seed, commit: 'any', found: classifyComplaint(complaints[0] ?? ''), choices }
  const play = (one: typeof file) => playLocksFile(one, base, planted)
  expect((await play(file)).hash === hash).toBe(true)
  const shorter = await shrinkRun(file, play, 2)
  expect(shorter.choices.length).toBeLessThan(choices.length / 2)
})

describe('the lock simulation finds that', () => {
  test.each(LOCKS_FAULTS)('$fault', { timeout: 600_000 }, async (planted) => {
    const { complaints } = await runLocks(planted.seed, base, planted)
    expect(complaints.length).toBeGreaterThan(0)
    // A statement with wrong SQL is not the planted fault.
    expect(complaints.filter((complaint) => complaint.startsWith('error: '))).toEqual([])
  })
})
