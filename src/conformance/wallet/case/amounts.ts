/** Amounts of cases: as text for the wire, as minor units for the expectation. */
import { formatMoney, money, parseDecimal } from '../../../protocol/money.ts'
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
  return { text: shortest(formatMoney(money(units), scale)), units }
}

/** Without zeros at the end: whether a wallet takes those is a case of its own. */
function shortest(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** Reads what a wallet says a balance is; undefined when it is no amount of the currency. Negative ones are read too. */
export function readBalanceAmount(value: unknown, scale: number): bigint | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const text = String(value)
  const units = parseDecimal(text.replace(/^-/, ''), scale)
  return units !== undefined && text.startsWith('-') ? -units : units
}

export function describeUnits(units: bigint, scale: number): string {
  return formatMoney(money(units), scale)
}
