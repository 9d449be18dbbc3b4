/**
 * Control stage: the check of an accepted bet against events, odds and limits (C-3). Pure
 * functions.
 */

import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { isAboveLimit, type Money, requireScale, type Scales } from '@purser/protocol/values/money'
import type { Exposure } from '../store/exposure-totals.ts'
import type { Offer } from '../store/outcome-offer.ts'
import type { PlatformBet, Selection } from '../store/platform-bet.ts'
import { type BetLimits, selectLimitAmounts } from './bet-limits.ts'

export interface ControlFacts {
  readonly bet: PlatformBet
  readonly selections: readonly (Selection & Offer)[]
  readonly limits: BetLimits
  readonly exposure: Exposure
  /** Payout of the bet if it wins. */
  readonly win: Money
  readonly scales: Scales
}

/**
 * Returns the reason of the rollback; undefined if the bet stands. An event without stored data
 * counts as offered.
 */
export function findObjection(facts: ControlFacts): number | undefined {
  return eventObjection(facts.selections) ?? limitObjection(facts)
}

function eventObjection(selections: ControlFacts['selections']): number | undefined {
  if (selections.some((s) => s.eventStatus === 'withdrawn')) return ROLLBACK_REASON.eventWithdrawn
  if (selections.some((s) => s.eventStatus === 'ended' || s.result !== null)) return ROLLBACK_REASON.eventCompleted
  if (selections.some((s) => s.eventStatus === 'suspended')) return ROLLBACK_REASON.oddsChanged
  if (selections.some((s) => s.currentOdds !== null && s.currentOdds !== s.odds)) return ROLLBACK_REASON.oddsChanged
  return undefined
}

function limitObjection({ bet, limits, exposure, win, scales }: ControlFacts): number | undefined {
  const amounts = selectLimitAmounts(limits, bet.currency)
  const scale = requireScale(scales, bet.currency)
  const over = (amount: bigint, limit: string | undefined) => limit !== undefined && isAboveLimit(amount, scale, limit)
  if (over(exposure.outcomeStake + bet.stake, amounts.outcomeMaxStake)) return ROLLBACK_REASON.outcomeMaxStake
  if (over(exposure.outcomeWin + win, amounts.outcomeMaxWin)) return ROLLBACK_REASON.outcomeMaxWin
  if (limits.eventMaxBets !== undefined && exposure.eventBets + 1n > BigInt(limits.eventMaxBets))
    return ROLLBACK_REASON.eventMaxBets
  if (over(bet.stake, amounts.playerMaxStake)) return ROLLBACK_REASON.playerMaxStake
  if (over(win, amounts.playerMaxWin)) return ROLLBACK_REASON.playerMaxWin
  if (over(bet.stake, amounts.maxStake)) return ROLLBACK_REASON.maxStake
  return undefined
}
