/**
 * Checks if a player may place a bet, in this order of reply codes: 9, 14, 15, 16, 11, 12, 13
 * (R-6).
 */

import type { RememberedRefusal } from '@purser/protocol/reply-codes'
import { isAboveLimit, requireScale } from '@purser/protocol/values/money'
import type { BetId } from '@purser/protocol/wire-ids'
import { effectOnPlayer } from '../ledger/posting.ts'
import type { Transfer } from '../ledger/transfer.ts'
import type { Funder, PlaceCall } from '../store/bet.ts'
import type { RuledPlayer } from '../store/player.ts'
import type { Facts, Turnover } from './decision.ts'
import { hasLimits, isBlocked, isUnverified } from './player-restrictions.ts'

/** Undefined when the player may place this bet. */
export function findIneligibility(call: PlaceCall, funder: Funder, facts: Facts): RememberedRefusal | undefined {
  const { player } = facts
  // the caller has checked the token, so the player exists
  if (player === undefined) return undefined
  return statusRefusal(player, facts) ?? limitRefusal(player, call, funder, facts)
}

function statusRefusal(player: RuledPlayer, { now, rules }: Facts): RememberedRefusal | undefined {
  if (isBlocked(player)) return 'player_blocked'
  if (player.selfExcludedUntil !== null && player.selfExcludedUntil > now) return 'self_excluded'
  if (isUnverified(player)) return 'not_verified'
  if (player.birthday !== null && player.birthday > latestBirthday(now, rules.minimumAge)) return 'under_age'
  return undefined
}

/** A player born on 29 February is of age from 1 March. Dates are UTC texts, YYYY-MM-DD. */
export function latestBirthday(now: Date, years: number): string {
  return `${now.getUTCFullYear() - years}`.padStart(4, '0') + now.toISOString().slice(4, 10)
}

function limitRefusal(
  player: RuledPlayer,
  call: PlaceCall,
  funder: Funder,
  facts: Facts,
): RememberedRefusal | undefined {
  if (!hasLimits(player)) return undefined
  const { limits } = player
  const { stakes, payouts, bets } = facts.turnover(call.currency)
  const stakesThen = stakes + (funder === 'player' ? call.stake : 0n)
  if (exceeds(stakesThen, limits.stake, call, facts)) return 'stake_limit'
  if (exceeds(stakesThen - payouts, limits.loss, call, facts)) return 'loss_limit'
  if (limits.betCount !== undefined && bets + 1 > limits.betCount) return 'bet_count_limit'
  return undefined
}

function exceeds(amount: bigint, limit: string | undefined, { currency }: PlaceCall, { rules }: Facts): boolean {
  return limit !== undefined && isAboveLimit(amount, requireScale(rules.scales, currency), limit)
}

/**
 * Turnover of a player today in one currency, for the limits of the reply codes 11 to 13.
 *
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
