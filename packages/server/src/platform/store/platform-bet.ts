/**
 * A bet of the platform.
 *
 * - placing: becomes accepted if the partner accepts and the control stage passes, or declined if
 *   the partner declines. It becomes cancelled after a failed control stage, an unknown outcome, or
 *   the death of the process.
 * - accepted: becomes settled by a result, or cancelled by hand.
 * - settled: stays settled with a new result, or becomes accepted after a withdrawn result or a
 *   rejected cashout (C-8).
 * - declined and cancelled are final.
 *
 * Each transition is committed together with the delivery that notifies the partner (C-1). A
 * rejected cashout needs no delivery, because the partner has rejected it. Every cancelled bet has
 * a rollback.
 */
import type { ResultType } from '@purser/protocol/bet-request'
import type { Money } from '@purser/protocol/values/money'
import type { Odds } from './odds.ts'

export type BetStatus = 'placing' | 'accepted' | 'declined' | 'cancelled' | 'settled'

/** Each call about the bet carries these values of its placement (C-7). */
export interface BetIdentity {
  readonly betId: string
  readonly partnerId: string
  readonly userId: string
  readonly operatorUser: string | null
  readonly currency: string
  readonly token: string
}

export interface PlatformBet extends BetIdentity {
  readonly stake: Money
  readonly status: BetStatus
  readonly reason: string | null
  readonly ticketType: 'single' | 'express'
  readonly odds: Odds
  readonly booster: Odds | null
  readonly bonusId: number | null
  readonly bonusTemplateId: number | null
  readonly result: BetResult | null
  /** Last acknowledged state; null if none was acknowledged or necessary. */
  readonly acknowledgedStatus: 'open' | 'settled' | 'cancelled' | null
  /** Null unless `acknowledgedStatus` is settled. */
  readonly acknowledgedResult: Omit<BetResult, 'source'> | null
  /**
   * Sum of the result versions of its events at the last withdrawal by hand (W-17); null if none.
   */
  readonly takenBackAt: bigint | null
  /** Number of decided deliveries. */
  readonly deliveries: number
  readonly placedAt: Date
}

export interface BetResult {
  readonly resultType: ResultType
  readonly payout: Money
  /**
   * Results of events do not replace a result by request, until that one is withdrawn by request
   * (W-17).
   */
  readonly source: 'event' | 'request'
}

export interface Selection {
  readonly eventId: string
  readonly outcomeId: string
  readonly odds: Odds
  /** The other members of the interface's metadata item. */
  readonly details: Readonly<Record<string, unknown>>
}

export type SelectionResult = 'won' | 'lost' | 'refund'

/** Null while the bet is undecided. A lost selection decides at once; a refunded one has odds 1. */
export function computeResult(
  stake: Money,
  odds: readonly Odds[],
  results: readonly (SelectionResult | null)[],
  payoutOf: (won: readonly Odds[]) => Money,
): BetResult | null {
  if (results.includes('lost')) return { resultType: 'lost', payout: 0n as Money, source: 'event' }
  if (results.includes(null)) return null
  const won = odds.filter((_, i) => results[i] === 'won')
  return won.length === 0
    ? { resultType: 'refund', payout: stake, source: 'event' }
    : { resultType: 'won', payout: payoutOf(won), source: 'event' }
}
