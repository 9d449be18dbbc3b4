/** Turnover of a player today in one currency, for the limits of the reply codes 11 to 13. */

import type { BetId } from '@purser/protocol/wire-ids'
import { effectOnPlayer } from '../ledger/posting.ts'
import type { Transfer } from '../ledger/transfer.ts'
import type { Turnover } from '../rules/decision.ts'

/**
 * `transfers` are the transfers of the UTC day. Bets that were rolled back do not count, nor stakes
 * that the player did not pay. Payouts count less reversals, for any bet (W-9).
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
