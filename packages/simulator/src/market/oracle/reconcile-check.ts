/**
 * Compares the findings of `purser reconcile` with the bets that a restored backup has lost
 * (docs/guides/reconcile.md).
 */

import type { Participants } from '../actors/market-participants.ts'
import type { Stores } from '../market.ts'
import type { Scenario } from '../scenario.ts'
import type { StoryNames } from '../story-names.ts'
import { findDifferingBets, readBetsUnderWay, readBookSides } from './market-books.ts'

/**
 * During the run, reconcile must name a bet with a call in progress only if the wallet does not
 * know the bet. An undelivered result is then no loss.
 */
export async function checkReconcileFindings(
  stores: Stores,
  scenario: Scenario,
  participants: Participants,
  names: StoryNames,
  when: 'all is over' | 'under way',
): Promise<{ readonly bets: number; readonly lost: number; readonly complaints: readonly string[] }> {
  const { acknowledged, reconciled } = await readBookSides(stores, scenario, participants, 'wallet')
  const { lost, gone } = await findDifferingBets(stores.wallet.db, acknowledged)
  const moving = when === 'all is over' ? new Set<string>() : await readBetsUnderWay(stores)
  const found = await reconciled()
  const named = new Set(found.map(({ betId }) => betId))
  const lasting = found.filter(({ kind }) => when === 'all is over' || kind !== 'owed').map(({ betId }) => betId)
  const must = [...lost].filter((bet) => !moving.has(bet) || gone.has(bet))
  const unnamed = must.filter((bet) => !named.has(bet)).map((bet) => `reconcile does not name ${names.bet(bet)}`)
  const wrong = lasting.filter((bet) => !lost.has(bet)).map((bet) => `reconcile names ${names.bet(bet)} wrongly`)
  return { bets: acknowledged.length, lost: must.length, complaints: [...unnamed, ...wrong] }
}
