/**
 * An older backup of a wallet is put back, as after the loss of its server: reconcile must name each bet of which something is lost, and no
 * other one (docs/guides/reconcile.md).
 */
import { differing, sidesOf } from './books.ts'
import type { Cast } from './cast.ts'
import type { Market, Stores } from './market.ts'
import type { Scene } from './scene.ts'

/** Complaints. For a time when all was over and both books were equal, before the backup was put back. */
export async function loseWith(stores: Stores, scene: Scene, cast: Cast, { trace, names }: Market): Promise<string[]> {
  const { told, reconciled } = await sidesOf(stores, scene, cast, 'wallet')
  const lost = await differing(stores.wallet.db, told)
  const named = new Set((await reconciled()).map(({ betId }) => betId))
  trace.note(`a backup of the wallet is put back: ${lost.size} bets of ${told.length} are not as they were`)
  trace.mark('a backup is put back')
  if (lost.size > 0) trace.mark('what a backup has lost is named')
  const unnamed = [...lost].filter((bet) => !named.has(bet)).map((bet) => `reconcile does not name ${names.bet(bet)}`)
  const wrong = [...named].filter((bet) => !lost.has(bet)).map((bet) => `reconcile names ${names.bet(bet)} wrongly`)
  return [...unnamed, ...wrong]
}
