/** Holds what reconcile names against what has been lost, when an older backup of a wallet was put back (docs/guides/reconcile.md). */
import { differing, sidesOf, underWayOf } from './books.ts'
import type { Cast } from './cast.ts'
import type { Stores } from './market.ts'
import type { Names } from './names.ts'
import type { Scene } from './scene.ts'

/** Of a bet with a call on its way only what no call can change is compared: that the wallet has it. What is owed meanwhile is no loss. */
export async function misnamed(
  stores: Stores,
  scene: Scene,
  cast: Cast,
  names: Names,
  when: 'all is over' | 'under way',
): Promise<{ readonly bets: number; readonly lost: number; readonly complaints: readonly string[] }> {
  const { told, reconciled } = await sidesOf(stores, scene, cast, 'wallet')
  const { lost, gone } = await differing(stores.wallet.db, told)
  const moving = when === 'all is over' ? new Set<string>() : await underWayOf(stores)
  const found = await reconciled()
  const named = new Set(found.map(({ betId }) => betId))
  const lasting = found.filter(({ kind }) => when === 'all is over' || kind !== 'owed').map(({ betId }) => betId)
  const must = [...lost].filter((bet) => !moving.has(bet) || gone.has(bet))
  const unnamed = must.filter((bet) => !named.has(bet)).map((bet) => `reconcile does not name ${names.bet(bet)}`)
  const wrong = lasting.filter((bet) => !lost.has(bet)).map((bet) => `reconcile names ${names.bet(bet)} wrongly`)
  return { bets: told.length, lost: must.length, complaints: [...unnamed, ...wrong] }
}
