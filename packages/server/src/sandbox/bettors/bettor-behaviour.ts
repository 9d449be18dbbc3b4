/**
 * Behaviour of the simulated bettors: the choice of bettor, stake and selections. Pure except for
 * the random numbers.
 */
import { formatMoney, type Money, parseDecimal } from '@purser/protocol/values/money'
import type { Random } from '@purser/runtime/seeded-random'
import { MATCH_OUTCOMES, type MatchOutcome, type SimulatedMatch, STEPS_PER_SECOND } from './match-fixtures.ts'

export interface BettorPlan {
  readonly userId: string
  readonly currency: string
  /** Step of a usual stake, in minor units. */
  readonly unit: bigint
  readonly scale: number
}

/** Alice and Bob belong to the user of the sandbox, and Carol to the tutorial. */
export const BETTORS: readonly BettorPlan[] = [
  ...['dora', 'emil', 'fay', 'gus', 'hana', 'ivo', 'june', 'kai'].map((userId) => bettor(userId, 'EUR', 100n, 2)),
  ...['lena', 'milo'].map((userId) => bettor(userId, 'USD', 100n, 2)),
  bettor('nori', 'JPY', 100n, 0),
  bettor('otto', 'BTC', 100_000n, 8),
]

function bettor(userId: string, currency: string, unit: bigint, scale: number): BettorPlan {
  return { userId, currency, unit, scale }
}

export interface BetPick {
  readonly match: SimulatedMatch
  readonly outcome: MatchOutcome
  /** Decimal text. */
  readonly odds: string
}

export interface BetChoice {
  readonly bettor: BettorPlan
  /** Decimal text. */
  readonly stake: string
  readonly picks: readonly BetPick[]
  /** Steps until the bettor requests a cashout, if the bet is still open. */
  readonly cashOutAfter: number | null
}

const STAKES = [1n, 2n, 5n, 5n, 10n, 10n, 20n, 50n]
/** More than any balance. */
const UNAFFORDABLE_UNITS = 100_000n

export function chooseBet(random: Random, open: readonly SimulatedMatch[]): BetChoice {
  const plan = random.pick(BETTORS)
  const units = random.chance(0.03) ? UNAFFORDABLE_UNITS : random.pick(STAKES)
  const picks = chooseMatches(random, open).map((match) => choosePick(random, match))
  const cashOutAfter = random.chance(0.05) ? random.between(STEPS_PER_SECOND, 3 * STEPS_PER_SECOND) : null
  return { bettor: plan, stake: formatMoney((units * plan.unit) as Money, plan.scale), picks, cashOutAfter }
}

/** Two of three bets are singles. */
function chooseMatches(random: Random, open: readonly SimulatedMatch[]): SimulatedMatch[] {
  const count = Math.min(open.length, random.chance(0.67) ? 1 : random.between(2, 3))
  const rest = [...open]
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0] as SimulatedMatch)
}

/** Some bettors use old odds, as from a page that was not refreshed. */
function choosePick(random: Random, match: SimulatedMatch): BetPick {
  const isStale = random.chance(0.05)
  const prices = isStale && match.earlier !== null ? match.earlier : match.prices
  const outcome = random.pick(MATCH_OUTCOMES)
  return { match, outcome, odds: formatPrice(prices[outcome]) }
}

/** Formats 210 as "2.10". */
export function formatPrice(hundredths: number): string {
  return formatMoney(BigInt(hundredths) as Money, 2)
}

/** "Ajax–Roma: draw 3.10" or "express Ajax 1.90 + Lyon–Lille draw 3.10". */
export function describePicks(picks: readonly BetPick[]): string {
  const [first] = picks
  if (picks.length === 1 && first) return `${formatMatch(first.match)}: ${formatOutcomeName(first)} ${first.odds}`
  return `express ${picks.map((one) => `${one.outcome === 'draw' ? `${formatMatch(one.match)} ` : ''}${formatOutcomeName(one)} ${one.odds}`).join(' + ')}`
}

function formatMatch({ home, away }: SimulatedMatch): string {
  return `${home}–${away}`
}

export function formatOutcomeName({ match, outcome }: { match: SimulatedMatch; outcome: MatchOutcome }): string {
  if (outcome === 'draw') return 'draw'
  return outcome === 'home' ? match.home : match.away
}

export function topUpAmount(unit: bigint, scale: number): string {
  return formatMoney((500n * unit) as Money, scale)
}

/** Four fifths of the stake. */
export function cashOutAmount({ stake, bettor }: BetChoice): string {
  const units = parseDecimal(stake, bettor.scale) ?? 0n
  return formatMoney(((units * 4n) / 5n) as Money, bettor.scale)
}
