/**
 * Odds as exact decimals: a bigint of millionths. Payouts are rounded down to the currency's
 * smallest unit.
 */
import { type Money, money, parseDecimal } from '@purser/protocol/values/money'

/** In millionths: 2.10 is 2_100_000n. */
export type Odds = bigint & { readonly brand: 'Odds' }

const DECIMALS = 6
const ONE = 10n ** BigInt(DECIMALS)
/** Largest odds of a selection or an express. */
const MAX_ODDS = ONE * 1_000_000n

/**
 * Parses "2.10" or 2.1. Undefined unless above 0, at most 1,000,000 and with at most six decimals.
 */
export function parseOdds(written: string | number): Odds | undefined {
  const odds = parseDecimal(String(written), DECIMALS)
  return odds === undefined || odds <= 0n || odds > MAX_ODDS ? undefined : (odds as bigint as Odds)
}

/** Parses the text of `formatOdds`. */
export function parseStoredOdds(text: string): Odds {
  const odds = parseOdds(text)
  if (odds === undefined) throw new Error(`stored odds ${text} cannot be read`)
  return odds
}

/** The shortest decimal ("2.1"), which is also a JSON number. */
export function formatOdds(odds: Odds): string {
  const digits = odds.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '')
}

/** The product k1 · k2 · … kN, cut to six decimals after each step. Undefined above the maximum. */
export function multiplyOdds(factors: readonly Odds[]): Odds | undefined {
  const product = factors.reduce((result, factor) => (result * factor) / ONE, ONE)
  return product > MAX_ODDS || product <= 0n ? undefined : (product as Odds)
}

/**
 * Odds of several selections together. A single selection gets no boost above 1, but a booster
 * below 1 applies (D-6).
 */
export function boostedOdds(factors: readonly Odds[], booster: Odds | null): Odds | undefined {
  const isLeftOut = booster === null || (factors.length < 2 && booster > ONE)
  return multiplyOdds(isLeftOut ? factors : [...factors, booster])
}

/** Rounded down. */
export function computePayout(stake: Money, odds: Odds): Money {
  return money((stake * odds) / ONE)
}
