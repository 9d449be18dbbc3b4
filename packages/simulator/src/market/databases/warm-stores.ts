/**
 * Creates each party's database and plays a few markets in them, so that later runs find all SQL
 * statements planned.
 */

import { PARTY_NAMES } from '../actors/party-names.ts'
import { runMarket } from '../market-run.ts'
import { createStores, type Images } from './market-store.ts'

/** Even seeds have a gateway, which adds the most statements. */
const WARMING_SEEDS = [2, 4] as const

export async function openWarmStores(images?: Images): Promise<Awaited<ReturnType<typeof createStores>>> {
  const stores = await createStores(images)
  for (const seed of WARMING_SEEDS) await runMarket(seed, stores)
  for (const party of PARTY_NAMES) await stores[party].keep()
  return stores
}
