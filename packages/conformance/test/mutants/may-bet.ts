/**
 * Checks whether the player may bet, and the player's limits: codes 9, 14, 15, 16, 11, 12, 13, in
 * this order.
 */
import { Digits, decimalsOf, unitsOf } from './amount.ts'
import { NO_FAULTS } from './mutants.ts'
import type { BetCall } from './read-call.ts'
import { type Bet, has, nowOf, type Player, type Wallet } from './state.ts'

const LEGAL_AGE_YEARS = 18

export function standingProblem(wallet: Wallet, player: Player): number | undefined {
  const now = nowOf(wallet)
  const { status, selfExcludedUntil, verified, birthday } = player
  if (status === 'blocked' && !has(wallet, 'blocked-player-bets')) return 9
  const isExcluded = selfExcludedUntil !== undefined && Date.parse(selfExcludedUntil) > Date.parse(now)
  if (isExcluded && !has(wallet, 'excluded-player-bets')) return 14
  if (verified === false && !has(wallet, 'unverified-player-bets')) return 15
  const isChild = birthday !== undefined && comesOfAge(birthday) > Date.parse(now)
  return isChild && !has(wallet, 'child-bets') ? 16 : undefined
}

/** Milliseconds since 1970. */
function comesOfAge(birthday: string): number {
  const day = new Date(`${birthday}T00:00:00Z`)
  return day.setUTCFullYear(day.getUTCFullYear() + LEGAL_AGE_YEARS)
}

/**
 * Limits per currency and UTC day, over the bets placed today and not rolled back, and over today's
 * payouts.
 */
export function limitProblem(
  wallet: Wallet,
  call: BetCall,
  player: Player,
  currency: string,
  stake: bigint,
): number | undefined {
  const { limits } = player
  if (Object.keys(limits).length === 0) return undefined
  const day = nowOf(wallet).slice(0, 10)
  const counted = [...wallet.bets.values()].filter((bet) => isCounted(bet, call.userId, currency, day))
  const staked = counted.reduce((sum, { placement }) => sum + (placement?.stake ?? 0n), stake)
  const lost = staked - (player.paid.get(`${currency} ${day}`) ?? 0n)
  const most = (limit: string) => unitsOf(NO_FAULTS, new Digits(limit), decimalsOf(wallet.faults, currency) ?? 2)
  const problem = (code: number) => (has(wallet, 'limits-refused-as-no-money') ? 7 : code)
  const isAbove = (value: bigint, limit: string | undefined) => limit !== undefined && value > (most(limit) ?? 0n)
  if (isAbove(staked, limits.stake) && !has(wallet, 'stake-limit-ignored')) return problem(11)
  if (isAbove(lost, limits.loss) && !has(wallet, 'loss-limit-ignored')) return problem(12)
  const isTooMany = limits.betCount !== undefined && counted.length + 1 > limits.betCount
  return isTooMany && !has(wallet, 'bet-count-limit-ignored') ? problem(13) : undefined
}

function isCounted({ owner, state, placement }: Bet, userId: string, currency: string, day: string): boolean {
  const isPlaced = state === 'open' || state === 'settled'
  return isPlaced && owner === userId && placement?.currency === currency && placement.at.startsWith(day)
}
