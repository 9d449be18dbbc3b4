/** What a player did today, folded from the day's transfers: the basis of the limits 11–13. */
import { dayOf } from '../ledger/account.ts'
import { effectOnPlayer, type Transfer } from '../ledger/transfer.ts'
import type { BetId } from '../protocol/ids.ts'
import type { Turnover } from './decide/decision.ts'

/**
 * Counts the bets placed on the UTC day of `now` that were not rolled back, their stakes as far as the player paid them,
 * and the payouts less reversals of that day, of whatever bets.
 */
export function turnoverOf(transfers: readonly Transfer[], now: Date): Turnover {
  const today = dayOf(now)
  const stakes = new Map<BetId | undefined, bigint>()
  let payouts = 0n
  for (const transfer of transfers) {
    if (dayOf(transfer.at) !== today) continue
    const effect = effectOnPlayer(transfer)
    if (transfer.kind === 'stake') stakes.set(transfer.betId, -effect)
    else if (transfer.kind === 'refund') stakes.delete(transfer.betId)
    else if (transfer.kind === 'payout' || transfer.kind === 'payout_reversal') payouts += effect
  }
  const total = [...stakes.values()].reduce((sum, stake) => sum + stake, 0n)
  return { stakes: total, payouts, bets: stakes.size }
}
