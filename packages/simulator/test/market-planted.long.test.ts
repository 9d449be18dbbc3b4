/**
 * The simulation finds each planted fault in the run that packages/simulator/src/reports names.
 * planted-tables.test.ts checks those tables.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeStores } from '../src/market/databases/market-store.ts'
import type { Stores } from '../src/market/market.ts'
import { openWarmStores, runMarket } from '../src/market/market-run.ts'
import { drawFaultChoices } from '../src/market/planted/planted-fault.ts'
import { PLANTED_FAULTS } from '../src/market/planted/planted-faults.ts'

let stores: Stores

beforeAll(async () => {
  stores = await openWarmStores()
}, 300_000)
afterAll(() => closeStores(stores))

/** market-kept.long.test.ts plays the saved runs. */
const BY_SEED = PLANTED_FAULTS.filter(({ file }) => file === undefined)

describe('the market simulation finds:', () => {
  test.each(BY_SEED)('$fault', { timeout: 600_000 }, async (planted) => {
    const { complaints } = await runMarket(planted.seed, planted.plant(stores), drawFaultChoices(planted))
    expect(complaints.length).toBeGreaterThan(0)
    // A statement with wrong SQL is not the planted fault.
    expect(complaints.filter((complaint) => complaint.startsWith('error: '))).toEqual([])
  })
})
