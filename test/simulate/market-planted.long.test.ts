/** The market finds what is planted below wallet and platform, each fault in one run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/simulate/market/market.ts'
import { runMarket } from '../../src/simulate/market/run.ts'
import { makeStore } from '../../src/simulate/market/store.ts'
import { PLANTED, withPlanted } from './market-planted.ts'

let stores: Stores

beforeAll(async () => {
  stores = { wallet: await makeStore('wallet'), platform: await makeStore('platform') }
})
afterAll(() => Promise.all([stores.wallet.close(), stores.platform.close()]))

describe('the market finds:', () => {
  test.each(PLANTED)('$fault', { timeout: 600_000 }, async (planted) => {
    const { complaints } = await runMarket(planted.seed, withPlanted(planted, stores))
    expect(complaints.length).toBeGreaterThan(0)
  })
})
