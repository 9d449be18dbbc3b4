/** Amounts of cases: as text for the wire, as minor units for the expectation. */
import { formatMoney, money, parseDecimal, shortestDecimal } from '../../../protocol/money.ts'
import type { Amount } from './case.ts'

export interface Resolved {
  /** As it stands in the body. */
  readonly text: string
  /** Minor units; undefined when the currency cannot hold it. */
  readonly units: bigint | undefined
}

/** `balance` in minor units is what parts are taken of. */
export function resolveAmount(amount: Amount, balance: bigint, scale: number): Resolved {
  if (typeof amount === 'string') return { text: amount, units: parseDecimal(amount, scale) }
  if ('finer' in amount) return { text: `${amount.finer}.${'0'.repeat(scale)}3`, units: undefined }
  const units = (balance * BigInt(amount.percent)) / 100n + BigInt(amount.plusUnits)
  return { text: shortestDecimal(money(units), scale), units }
}

export function describeUnits(units: bigint, scale: number): string {
  return formatMoney(money(units), scale)
}
