/** Odds are exact decimals, a bigint of millionths; what they pay is rounded down to the currency's smallest unit. */
import { type Money, money, parseDecimal } from '../../../protocol/values/money.ts'

/** Millionths: 2.10 is 2_100_000n. */
export type Odds = bigint & { readonly brand: 'Odds' }

const DECIMALS = 6
const ONE = 10n ** BigInt(DECIMALS)
/** No selection and no express pays more than this many times its stake. */
const MAX_ODDS = ONE * 1_000_000n

/** Reads "2.10" or 2.1; undefined unless it is more than 0, at most 1,000,000 and has at most six decimals. */
export function parseOdds(written: string | number): Odds | undefined {
  const odds = parseDecimal(String(written), DECIMALS)
  return odds === undefined || odds <= 0n || odds > MAX_ODDS ? undefined : (odds as bigint as Odds)
}

/** What `formatOdds` wrote. */
export function parseStoredOdds(text: string): Odds {
  const odds = parseOdds(text)
  if (odds === undefined) throw new Error(`stored odds ${text} cannot be read`)
  return odds
}

/** "2.1": the shortest decimal, which is also its JSON number. */
export function formatOdds(odds: Odds): string {
  const digits = odds.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '')
}

/** k1 · k2 · … kN, cut to six decimals after each step; undefined when it exceeds the maximum. */
export function multiplyOdds(factors: readonly Odds[]): Odds | undefined {
  const product = factors.reduce((result, factor) => (result * factor) / ONE, ONE)
  return product > MAX_ODDS || product <= 0n ? undefined : (product as Odds)
}

/** The odds that selections pay together. One selection alone gets no boost, but keeps a cut (D-6). */
export function boostedOdds(factors: readonly Odds[], booster: Odds | null): Odds | undefined {
  const isLeftOut = booster === null || (factors.length < 2 && booster > ONE)
  return multiplyOdds(isLeftOut ? factors : [...factors, booster])
}

/** What a stake wins at these odds, rounded down. */
export function computePayout(stake: Money, odds: Odds): Money {
  return money((stake * odds) / ONE)
}
