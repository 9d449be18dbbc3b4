/**
 * Highest payout of a bet by its odds: stake × coefficient × boosterCoefficient (W-49).
 *
 * Factors are exact decimals, never doubles. An unusable factor (absent, not a number, below 1)
 * refuses no bet. Without a coefficient there is no limit; without a booster there is no boost.
 */
import { type Decimal, isAtLeastOne, multiplyRoundingDown, toDecimal } from '@purser/protocol/values/decimal'
import { MAX_AMOUNT, type Money, money } from '@purser/protocol/values/money'
import type { Placement } from '../store/bet.ts'

/** Members of a Place bet that only describe it, as sent. */
export interface OddsDetails {
  readonly coefficient?: unknown
  readonly boosterCoefficient?: unknown
}

/**
 * `stake` and the result are in minor units, rounded down; null if the odds or the stake are
 * unknown.
 */
export function computeOddsPayout(stake: Money, { coefficient, boosterCoefficient }: OddsDetails): Money | null {
  const [odds, boost] = [toFactor(coefficient), toFactor(boosterCoefficient)]
  if (odds === undefined || stake === 0n) return null
  const payout = multiplyRoundingDown(stake, boost === undefined ? [odds] : [odds, boost])
  return money(payout > MAX_AMOUNT ? MAX_AMOUNT : payout)
}

function toFactor(value: unknown): Decimal | undefined {
  const factor = toDecimal(value)
  return factor !== undefined && isAtLeastOne(factor) ? factor : undefined
}

/** Minor units by which a payout may exceed the odds, because platforms round up. */
export const ROUNDING_TOLERANCE = 1n

export function isAboveOdds(payout: Money, { oddsPayout }: Pick<Placement, 'oddsPayout'>): boolean {
  return oddsPayout !== null && payout > oddsPayout + ROUNDING_TOLERANCE
}
