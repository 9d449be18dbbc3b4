/**
 * Converts the amounts of cases to text for the wire and to minor units for the expected balances.
 */
import { formatMoney, formatShortest, money, parseDecimal } from '@purser/protocol/values/money'
import { computeFloatProbe } from './float-probe-amounts.ts'
import type { CaseAmount } from './wallet-case.ts'

export interface ResolvedAmount {
  readonly text: string
  /** Minor units. Undefined if the currency cannot represent the amount. */
  readonly units: bigint | undefined
}

/** Minor units of player A. */
export interface CaseBalances {
  readonly now: bigint
  /**
   * The balance in the fixtures file, which may differ from the found balance
   * (FixturePlayer.misstated).
   */
  readonly stated: bigint
}

export function resolveAmount(amount: CaseAmount, { now, stated }: CaseBalances, scale: number): ResolvedAmount {
  if (typeof amount === 'string') return { text: amount, units: parseDecimal(amount, scale) }
  if ('finer' in amount) return { text: `${amount.finer}.${'0'.repeat(scale)}3`, units: undefined }
  if ('chosen' in amount) return resolveUnits(computeFloatProbe(amount.chosen, now, scale), scale)
  const whole = amount.isStated ? stated : now
  return resolveUnits((whole * BigInt(amount.percent)) / 100n + BigInt(amount.plusUnits), scale)
}

export function resolveUnits(units: bigint, scale: number): ResolvedAmount {
  return { text: formatShortest(money(units), scale), units }
}

export function formatUnits(units: bigint, scale: number): string {
  return formatMoney(money(units), scale)
}
