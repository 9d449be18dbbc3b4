/**
 * The kit repeats a call that was answered 503 as the betting platform does: seconds apart, and up
 * to a limit.
 */
import { expect, test } from 'vitest'
import { isRollback, passing, verdicts } from './lenient.ts'
import type { MutantId } from './mutants/mutants.ts'

/** Milliseconds for the gaps of one call, in several rounds of a race. */
const TIMEOUT_MS = 120_000

test.concurrent('a wallet that answers a Rollback with 503 for ten seconds fails', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [found] = await verdicts(['rollback-01'], { fails: isRollback })
  expect(found).toMatch(/^rollback-01 Rollback X 100: HTTP status 503/)
})

test.concurrent.each<MutantId>([
  ...(['race-settle-500', 'race-settle-100', 'race-rollback-500', 'race-rollback-100'] as const),
])('failed results and Rollbacks during concurrent calls fail no MUST: %s', { timeout: TIMEOUT_MS }, async (fault) => {
  const ids = ['race-03', 'race-04', 'race-05', 'race-07', 'race-08']
  expect(await verdicts(ids, {}, fault)).toEqual(passing(ids))
})
