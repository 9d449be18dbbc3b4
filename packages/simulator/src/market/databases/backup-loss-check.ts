/**
 * Checks `purser reconcile` at the end of a run against an older backup of a wallet.
 *
 * Invariant: reconcile names each bet of which the backup has lost something, and no other bet
 * (docs/guides/reconcile.md).
 */

import type { Participants } from '../actors/market-participants.ts'
import type { Market, Stores } from '../market.ts'
import { checkReconcileFindings } from '../oracle/reconcile-check.ts'
import type { Scenario } from '../scenario.ts'

/** Returns complaints. Before the restore all calls must be over and both books equal. */
export async function checkBackupLoss(
  stores: Stores,
  scenario: Scenario,
  participants: Participants,
  market: Market,
): Promise<string[]> {
  const { trace, names } = market
  const { bets, lost, complaints } = await checkReconcileFindings(stores, scenario, participants, names, 'all is over')
  trace.note(`a backup of the wallet is put back: ${lost} bets of ${bets} are not as they were`)
  trace.mark('a backup is put back')
  if (lost > 0) trace.mark('what a backup has lost is named')
  return [...complaints]
}
