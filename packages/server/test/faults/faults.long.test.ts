/**
 * A short scenario of `npm run faults` finds nothing lost or doubled while one of two wallets is
 * killed repeatedly.
 */
import { expect, test } from 'vitest'
import { seededRandom } from '../support/random.ts'
import { run } from './run.ts'
import { SCENARIOS } from './scenarios.ts'

test('wallets that are killed during bets lose nothing, double nothing and owe nothing', async () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'wallets-killed')
  const result = await run(scenario!, { forMs: 3_000, random: seededRandom('faults') })
  expect(result).toMatchObject({ failed: false, tally: { lost: 0, doubled: 0, owed: 0 } })
  expect(result.tally?.faults).toBeGreaterThan(0)
  expect(result.tally?.acknowledged).toBeGreaterThan(0)
})
