/** The market finds what is planted around wallet and platform, each fault in the run that the table of docs/internals names (planted-tables.test.ts). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/simulate/market/market.ts'
import { runMarket } from '../../src/simulate/market/market-run.ts'
import { closeStores } from '../../src/simulate/market/market-store.ts'
import { drawFaultChoices } from '../../src/simulate/market/planted/planted-fault.ts'
import { PLANTED_FAULTS } from '../../src/simulate/market/planted/planted-faults.ts'
import { openWarmStores } from '../../src/simulate/market/warm-stores.ts'

let stores: Stores

beforeAll(async () => {
  stores = await openWarmStores()
}, 300_000)
afterAll(() => closeStores(stores))

/** A kept run has a test of its own: market-kept.long.test.ts. */
const BY_SEED = PLANTED_FAULTS.filter(({ file }) => file === undefined)

describe('the market simulation finds:', () => {
  test.each(BY_SEED)('$fault', { timeout: 600_000 }, async (planted) => {
    const { complaints } = await runMarket(planted.seed, planted.plant(stores), drawFaultChoices(planted))
    expect(complaints.length).toBeGreaterThan(0)
    expect(complaints.filter((complaint) => complaint.startsWith('error: '))).toEqual([]) // a statement that is wrong SQL is not the fault
  })
})
