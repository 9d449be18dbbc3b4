/** Reads an amount from the body of a call, digit by digit as written (M-1, M-2). */
import { Crash } from './crash.ts'
import type { Faults } from './mutants.ts'

/** A JSON number with its original digits. */
export class Digits {
  readonly written: string
  constructor(written: string) {
    this.written = written
  }
}

const NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const MAX_DIGITS = 15
const MAX_EXPONENT = 30
const MAX_UNITS = 10n ** 18n
const INT32_MAX = 2n ** 31n - 1n

const DECIMALS: Readonly<Record<string, number>> = {
  ...{ EUR: 2, USD: 2, GBP: 2, CHF: 2, SEK: 2, NOK: 2, DKK: 2, PLN: 2, TRY: 2, BRL: 2, INR: 2, CAD: 2, AUD: 2 },
  ...{ JPY: 0, KRW: 0, CLP: 0, KWD: 3, BHD: 3, TND: 3, USDT: 6, USDC: 6, BTC: 8, ETH: 8 },
}

/** Undefined for a currency that this wallet does not know. */
export function decimalsOf(faults: Faults, currency: string): number | undefined {
  const decimals = DECIMALS[currency]
  return decimals !== undefined && faults.has('two-decimals-everywhere') ? 2 : decimals
}

/** Minor units; undefined if the value is no amount of this currency. */
export function unitsOf(faults: Faults, value: unknown, decimals: number): bigint | undefined {
  const written = writtenOf(faults, value)
  if (written === undefined) return undefined
  if (!written.startsWith('-')) return magnitudeOf(faults, written, decimals)
  const units = faults.has('negative-amount-accepted') ? magnitudeOf(faults, written.slice(1), decimals) : undefined
  return units === undefined ? undefined : -units
}

function writtenOf(faults: Faults, value: unknown): string | undefined {
  if (value instanceof Digits) return value.written
  if (typeof value === 'string' && faults.has('amount-text-accepted')) return value
  return value === true && faults.has('amount-true-accepted') ? '1' : undefined
}

function magnitudeOf(faults: Faults, written: string, decimals: number): bigint | undefined {
  const [match, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(written) ?? []
  if (match === undefined) return undefined
  if (match.toLowerCase().includes('e') && faults.has('exponent-refused')) return undefined
  if (fraction.endsWith('0') && faults.has('trailing-zero-refused')) return undefined
  if (Math.abs(Number(exponent)) > MAX_EXPONENT) return extreme(faults)
  const significant = (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '')
  if (significant.length > MAX_DIGITS) return undefined
  const units = scaled(faults, BigInt(whole + fraction), decimals - fraction.length + Number(exponent))
  if (units === undefined || units >= MAX_UNITS) return undefined
  return carried(faults, units, Number(written), decimals)
}

function extreme(faults: Faults): undefined {
  if (faults.has('huge-amount-crashes')) throw new Crash('the amount does not fit')
  return undefined
}

function scaled(faults: Faults, digits: bigint, shift: number): bigint | undefined {
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  if (digits % divisor === 0n || faults.has('decimals-cut')) return digits / divisor
  return faults.has('decimals-rounded') ? (digits + divisor / 2n) / divisor : undefined
}

/** The same units, unless a fault converts them to an unsuitable type. */
function carried(faults: Faults, units: bigint, amount: number, decimals: number): bigint {
  if (faults.has('float-amount-cut')) return BigInt(Math.trunc(amount * 10 ** decimals))
  if (faults.has('single-precision')) return BigInt(Math.round(Math.fround(amount) * 10 ** decimals))
  if (units > INT32_MAX && faults.has('int32-overflow')) throw new Crash('the amount is out of range')
  return units
}

/** "-12.10": all decimals of the currency. */
export function decimalText(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const sign = units < 0n ? '-' : ''
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
