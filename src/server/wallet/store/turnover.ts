/** What a player did today in one currency, folded from the day's transfers: the basis of the limits 11–13. */

import type { BetId } from '../../../protocol/wire-ids.ts'
import { effectOnPlayer } from '../ledger/posting.ts'
import type { Transfer } from '../ledger/transfer.ts'
import type { Turnover } from '../rules/decision.ts'

/**
 * `transfers` are those of the UTC day. Counts the bets placed in them that were not rolled back, their stakes as far as
 * the player paid them, and the payouts less reversals, of whatever bets.
 */
export function computeTurnover(transfers: readonly Transfer[]): Turnover {
  const stakes = new Map<BetId | undefined, bigint>()
  let payouts = 0n
  for (const transfer of transfers) {
    const effect = effectOnPlayer(transfer)
    if (transfer.kind === 'stake') stakes.set(transfer.betId, -effect)
    else if (transfer.kind === 'refund') stakes.delete(transfer.betId)
    else if (transfer.kind === 'payout' || transfer.kind === 'payout_reversal') payouts += effect
  }
  const total = [...stakes.values()].reduce((sum, stake) => sum + stake, 0n)
  return { stakes: total, payouts, bets: stakes.size }
}
