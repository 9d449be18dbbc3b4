/**
 * A bet as the platform knows it.
 *
 *   placing ──yes──► control stage ──fine──► accepted ──result──► settled ──another result──► settled
 *      │                  └──► cancelled        │  ▲──withdrawn result, refused cashout (C-8)──┘
 *      ├──no──► declined                        └──cancelled by hand──► cancelled
 *      └──nobody knows, or the process died──► cancelled
 *
 * Every arrow is committed together with the delivery that tells the partner (C-1), but for that of a refused cashout, which
 * the partner knows; a bet that becomes cancelled is always told by a rollback.
 */
import type { ResultType } from '../../../protocol/bet-request.ts'
import type { Money } from '../../../protocol/values/money.ts'
import type { Odds } from './odds.ts'

export type BetStatus = 'placing' | 'accepted' | 'declined' | 'cancelled' | 'settled'

/** What every call about the bet carries as it was at placement (C-7). */
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
  /** What the partner has acknowledged last; null: nothing, or that it need know nothing. */
  readonly acknowledgedStatus: 'open' | 'settled' | 'cancelled' | null
  /** The result that it has acknowledged last, while `told` is settled; else null. */
  readonly acknowledgedResult: Omit<BetResult, 'source'> | null
  /** When a person last took its result back: the versions of its events' results, added up (W-17). Null: never. */
  readonly takenBackAt: bigint | null
  /** Number of deliveries decided so far; the next one gets this number. */
  readonly deliveries: number
  readonly placedAt: Date
}

export interface BetResult {
  readonly resultType: ResultType
  readonly payout: Money
  /** What was decided by request, results of events leave alone until it is taken back by request (W-17). */
  readonly source: 'event' | 'request'
}

export interface Selection {
  readonly eventId: string
  readonly outcomeId: string
  readonly odds: Odds
  /** The other members of the interface's metadata item, as given. */
  readonly details: Readonly<Record<string, unknown>>
}

export type SelectionResult = 'won' | 'lost' | 'refund'

/**
 * What the results of its selections make of a bet; null while it is undecided. A lost selection decides at once; a
 * refunded one counts with odds 1.
 */
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
