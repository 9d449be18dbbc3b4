/**
 * An older backup of a wallet is put back when all is over, as after the loss of its server: reconcile must name each bet of which something is
 * lost, and no other one (docs/guides/reconcile.md).
 */
import type { Cast } from './cast.ts'
import type { Market, Stores } from './market.ts'
import { misnamed } from './misnamed.ts'
import type { Scene } from './scene.ts'

/** Complaints. For a time when all was over and both books were equal, before the backup was put back. */
export async function loseWith(stores: Stores, scene: Scene, cast: Cast, market: Market): Promise<string[]> {
  const { trace, names } = market
  const { bets, lost, complaints } = await misnamed(stores, scene, cast, names, 'all is over')
  trace.note(`a backup of the wallet is put back: ${lost} bets of ${bets} are not as they were`)
  trace.mark('a backup is put back')
  if (lost > 0) trace.mark('what a backup has lost is named')
  return [...complaints]
}
