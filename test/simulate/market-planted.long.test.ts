/** The market finds what is planted around wallet and platform, each fault in the run that the table of docs/internals names. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/simulate/market/market.ts'
import { PLANTED } from '../../src/simulate/market/planted/planted.ts'
import { choicesFor } from '../../src/simulate/market/planted/row.ts'
import { readyStores } from '../../src/simulate/market/ready.ts'
import { runMarket } from '../../src/simulate/market/run.ts'
import { closeStores } from '../../src/simulate/market/store.ts'

let stores: Stores

beforeAll(async () => {
  stores = await readyStores()
}, 300_000)
afterAll(() => closeStores(stores))

/** A kept run has a test of its own: market-kept.long.test.ts. */
const BY_SEED = PLANTED.filter(({ file }) => file === undefined)

test('the table of them names each with the run that finds it', () => {
  const rows = readFileSync('docs/internals/planted-faults.md', 'utf8').split('\n')
  const cells = rows.filter((row) => row.startsWith('| ')).map((row) => row.split(' | '))
  const named = cells.slice(1).map(([fault, , run]) => [fault?.slice(2), run])
  expect(named).toEqual(
    PLANTED.map(({ fault, seed, file }) => [fault, file === undefined ? `${seed}` : `[kept](../../${file})`]),
  )
})

describe('the market finds:', () => {
  test.each(BY_SEED)('$fault', { timeout: 600_000 }, async (planted) => {
    const { complaints } = await runMarket(planted.seed, planted.plant(stores), choicesFor(planted))
    expect(complaints.length).toBeGreaterThan(0)
    expect(complaints.filter((complaint) => complaint.startsWith('error: '))).toEqual([]) // a statement that is wrong SQL is not the fault
  })
})
