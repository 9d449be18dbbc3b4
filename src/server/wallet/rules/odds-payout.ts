/**
 * The most that the odds of a bet pay: stake × coefficient × boosterCoefficient (W-49).
 *
 * Pure and exact: each factor is read as the decimal that was written, and no double is multiplied. A
 * factor that says nothing (absent, 0, below 1, no number) never refuses a bet: without a coefficient
 * there is no limit, and without a booster the bet has no boost.
 */
import { type Decimal, isAtLeastOne, multiplyRoundingDown, toDecimal } from '../../../protocol/values/decimal.ts'
import { MAX_AMOUNT, type Money, money } from '../../../protocol/values/money.ts'
import type { Placement } from '../store/bet.ts'

/** Members of a Place bet that only describe it, as they were sent. */
export interface OddsDetails {
  readonly coefficient?: unknown
  readonly boosterCoefficient?: unknown
}

/** `stake` is in minor units, and so is the answer, rounded down; null when the odds or the stake are unknown. */
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

/** Minor units by which a payout may exceed the odds: platforms round up. */
export const ROUNDING_TOLERANCE = 1n

export function isAboveOdds(payout: Money, { oddsPayout }: Pick<Placement, 'oddsPayout'>): boolean {
  return oddsPayout !== null && payout > oddsPayout + ROUNDING_TOLERANCE
}
