/** Amounts of cases: as text for the wire, as minor units for the expectation. */
import { formatMoney, money, parseDecimal, shortestDecimal } from '../../../protocol/money.ts'
import type { Amount } from './case.ts'
import { chooseAmount } from './chosen-amounts.ts'

export interface Resolved {
  /** As it stands in the body. */
  readonly text: string
  /** Minor units; undefined when the currency cannot hold it. */
  readonly units: bigint | undefined
}

/** Minor units of A, of which parts are taken. */
export interface Balances {
  readonly now: bigint
  /** The balance by the fixtures, where the wallet behaves as if it were another (Player.misstated). */
  readonly stated: bigint
}

export function resolveAmount(amount: Amount, { now, stated }: Balances, scale: number): Resolved {
  if (typeof amount === 'string') return { text: amount, units: parseDecimal(amount, scale) }
  if ('finer' in amount) return { text: `${amount.finer}.${'0'.repeat(scale)}3`, units: undefined }
  if ('chosen' in amount) return resolveUnits(chooseAmount(amount.chosen, now, scale), scale)
  const whole = amount.isStated ? stated : now
  return resolveUnits((whole * BigInt(amount.percent)) / 100n + BigInt(amount.plusUnits), scale)
}

export function resolveUnits(units: bigint, scale: number): Resolved {
  return { text: shortestDecimal(money(units), scale), units }
}

export function describeUnits(units: bigint, scale: number): string {
  return formatMoney(money(units), scale)
}
