/**
 * Exact arithmetic on decimal texts, for callers that do not know the currency. No float touches
 * money (M-1). The console uses this file, so it has no dependencies.
 */

/** The result has as many decimals as the amount with most decimals. */
export function sumDecimals(amounts: readonly string[]): string {
  const digits = countFractionDigits(amounts)
  const sum = toCommonUnits(amounts).reduce((total, units) => total + units, 0n)
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0')
  const shown = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return sum < 0n ? `-${shown}` : shown
}

/** In the smallest decimal place that an amount has, so that the results can be compared. */
export function toCommonUnits(amounts: readonly string[]): bigint[] {
  const digits = countFractionDigits(amounts)
  return amounts.map((amount) => {
    const [whole = '0', rest = ''] = amount.replace('-', '').split('.')
    return BigInt(whole + rest.padEnd(digits, '0')) * (amount.startsWith('-') ? -1n : 1n)
  })
}

function countFractionDigits(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
}

export function negateDecimal(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`
}

/**
 * `digits` × 10^`exponent`, not negative. It describes odds and similar values, never an amount.
 */
export interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** A double has at most 17 digits and an exponent of three digits, so longer texts are rejected. */
const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/

/** Undefined for a value that is neither a number nor a decimal text. */
export function toDecimal(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const [found, whole = '', fraction = '', power = '0'] = DECIMAL.exec(String(value)) ?? []
  if (found === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number.parseInt(power, 10) - fraction.length }
}

export function isAtLeastOne({ digits, exponent }: Decimal): boolean {
  return exponent >= 0 ? digits > 0n : digits >= 10n ** BigInt(-exponent)
}

/** The exact product, rounded down to a whole number. */
export function multiplyRoundingDown(units: bigint, factors: readonly Decimal[]): bigint {
  const product = factors.reduce((result, { digits }) => result * digits, units)
  const exponent = factors.reduce((sum, factor) => sum + factor.exponent, 0)
  return exponent >= 0 ? product * 10n ** BigInt(exponent) : product / 10n ** BigInt(-exponent)
}
