/** Stores in which markets have been played: each run begins with databases that have planned what it asks them. */
import { runMarket } from './run.ts'
import { type Images, makeStores } from './store.ts'
import { PARTIES } from './who.ts'

/** Behind a gateway, which asks most. */
const WARMING_SEEDS = [2, 4] as const

export async function readyStores(images?: Images): Promise<Awaited<ReturnType<typeof makeStores>>> {
  const stores = await makeStores(images)
  for (const seed of WARMING_SEEDS) await runMarket(seed, stores)
  for (const party of PARTIES) await stores[party].keep()
  return stores
}
