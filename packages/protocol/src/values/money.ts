/**
 * Money as an integer number of minor units of a currency (M-1), without rounding.
 *
 * Only this file reads an amount as a number. Only this file and decimal.ts read it as decimal
 * text.
 */
import type { Currency } from '../wire-ids.ts'
import { LIMITS } from '../wire-limits.ts'

declare const brand: unique symbol
/** Minor units, for EUR cents. The currency is stored next to the amount. */
export type Money = bigint & { readonly [brand]: 'Money' }

/** Number of decimals per currency (M-2). */
export type Scales = ReadonlyMap<string, number>

/** Minor units of one amount. Balances and their sums then fit into Postgres' bigint. */
export const MAX_AMOUNT = 10n ** 18n - 1n

/** Minor units of one balance, just below the maximum of Postgres' bigint. */
export const MAX_BALANCE = 9n * 10n ** 18n

export const ZERO = 0n as Money

export function money(minorUnits: bigint): Money {
  return minorUnits as Money
}

export function fitsBalance(balance: bigint): balance is Money {
  return balance <= MAX_BALANCE && balance >= -MAX_BALANCE
}

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Examples: "12.10", "1e2". Undefined if the value is negative, too large, or has more decimals
 * than `scale`.
 */
export function parseDecimal(text: string, scale: number): Money | undefined {
  return readUnits(text, scale, divideExactly)
}

/** Like `parseDecimal`, but a value with more decimals is rounded half up. It only compares. */
export function parseNearest(text: string, scale: number): Money | undefined {
  return readUnits(text, scale, (value, divisor) => (value + divisor / 2n) / divisor)
}

function readUnits(
  text: string,
  scale: number,
  divide: (value: bigint, divisor: bigint) => bigint | undefined,
): Money | undefined {
  const match = DECIMAL.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = scale - fraction.length + Number(exponent)
  const digits = whole + fraction
  const units = shift >= 0 ? BigInt(digits + '0'.repeat(shift)) : divide(BigInt(digits), 10n ** BigInt(-shift))
  return units === undefined || units > MAX_AMOUNT ? undefined : money(units)
}

function divideExactly(value: bigint, divisor: bigint): bigint | undefined {
  return value % divisor === 0n ? value / divisor : undefined
}

/**
 * `amount` is in minor units, `limit` a decimal text. Both are compared in the finer scale, so 0.5
 * is also a limit in a currency without decimals.
 */
export function isAboveLimit(amount: bigint, scale: number, limit: string): boolean {
  const [whole = '0', fraction = ''] = limit.split('.')
  const decimals = Math.max(scale, fraction.length)
  return amount * 10n ** BigInt(decimals - scale) > BigInt(whole + fraction.padEnd(decimals, '0'))
}

/**
 * The value must come from `parseJson` (exact-json.ts), which accepts at most 15 significant digits
 * in an amount. So the shortest decimal of the double is the written value (M-1).
 */
export function parseWireAmount(value: number, scale: number): Money | undefined {
  return isWireAmount(value) ? parseDecimal(String(value), scale) : undefined
}

/** A payout of -0.0, which some programs compute for a lost bet, is 0 (D-3). */
export function parseWirePayout(value: number, scale: number): Money | undefined {
  return parseWireAmount(value === 0 ? 0 : value, scale)
}

/** False for negative values, -0 and infinity (M-1). */
export function isWireAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && !Object.is(value, -0)
}

/**
 * Reads the balance in a wallet's answer, which may be negative. Undefined if it is no amount of
 * the currency.
 */
export function parseWireBalance(value: unknown, scale: number): Money | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const text = String(value)
  const units = parseDecimal(text.replace(/^-/, ''), scale)
  return units !== undefined && text.startsWith('-') ? money(-units) : units
}

/** Like `formatMoney`, but without trailing zeros ("2.5", "100"), which a wallet may reject. */
export function formatShortest(amount: Money, scale: number): string {
  const decimal = formatMoney(amount, scale)
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** JSON Schema pattern of the results of `formatMoney`. */
export const SIGNED_DECIMAL_PATTERN = '^-?\\d+(\\.\\d+)?$'

/** Decimal text with all decimals of the currency ("12.10"). A negative balance keeps its sign. */
export function formatMoney(amount: Money, scale: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(scale + 1, '0')
  const sign = amount < 0n ? '-' : ''
  const cut = digits.length - scale
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`
}

/** True if the written number has at most 15 significant digits and an exponent below 100. */
export function isExactNumber(written: string): boolean {
  const { whole, fraction, exponent } = splitNumber(written)
  const digits = whole + fraction.slice(0, findDigitsEnd(fraction))
  return digits.length - findFirstDigit(digits) <= LIMITS.amountDigits && Math.abs(exponent) < 100
}

/**
 * True if the double of the written number has exactly the same value. False for -0, whose double
 * is written as 0.
 */
export function isExactDouble(written: string): boolean {
  const value = Number(written)
  return Number.isFinite(value) && canonical(written) === canonical(String(value))
}

/** True for -0, -0.0 and -0e5. */
export function isNegativeZero(written: string): boolean {
  return canonical(written) === '-'
}

/** One spelling per value: sign, digits without outer zeros, power of ten. */
function canonical(written: string): string {
  const { sign, whole, fraction, exponent } = splitNumber(written)
  const digits = whole + fraction
  const end = findDigitsEnd(digits)
  if (end === 0) return sign
  return `${sign}${digits.slice(findFirstDigit(digits), end)}e${exponent - fraction.length + digits.length - end}`
}

const charCode = (char: string) => char.charCodeAt(0)
const [ZERO_DIGIT, MINUS, POINT, SMALL_E, LARGE_E] = [
  charCode('0'),
  charCode('-'),
  charCode('.'),
  charCode('e'),
  charCode('E'),
]

/**
 * Reads each character once, without a regular expression. The largest body can contain 40,000
 * numbers, or one number of 262,144 digits.
 */
function splitNumber(written: string): { sign: '-' | ''; whole: string; fraction: string; exponent: number } {
  const sign = written.charCodeAt(0) === MINUS ? '-' : ''
  let point = -1
  let end = sign.length
  for (; end < written.length; end++) {
    const code = written.charCodeAt(end)
    if (code === POINT) point = end
    else if (code === SMALL_E || code === LARGE_E) break
  }
  return {
    sign,
    whole: written.slice(sign.length, point === -1 ? end : point),
    fraction: point === -1 ? '' : written.slice(point + 1, end),
    exponent: Number(written.slice(end + 1)), // 0 if absent
  }
}

/** Position of the first digit other than zero, or the end. */
function findFirstDigit(digits: string): number {
  let at = 0
  while (digits.charCodeAt(at) === ZERO_DIGIT) at++
  return at
}

/** Position after the last digit other than zero, or 0. */
function findDigitsEnd(digits: string): number {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO_DIGIT) end--
  return end
}

export function toDouble(written: string): number {
  return Number(written)
}

// ISO 4217: the active codes by their number of decimals. ANG and BGN are withdrawn but stay,
// because open bets may use them.
const ISO_4217: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
    'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV ' +
    'MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD ' +
    'SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

// Cryptocurrencies of the rule for scales (M-2) and similar ones. Operators can configure others.
const CRYPTO: Record<number, string> = { 6: 'USDC USDT', 8: 'BTC ETH LTC' }

/** The currencies that need no configuration. */
export const STANDARD_SCALES: Scales = new Map(
  [ISO_4217, CRYPTO].flatMap((table) =>
    Object.entries(table).flatMap(([scale, codes]) => codes.split(' ').map((code) => [code, Number(scale)] as const)),
  ),
)

/** A finer scale would leave too little room for useful amounts below MAX_AMOUNT. */
export const MAX_SCALE = 12

/** A missing scale is a bug, because the start rejects a currency in use without a scale (M-5). */
export function requireScale(scales: Scales, currency: string): number {
  const scale = scales.get(currency)
  if (scale === undefined) throw new Error(`the scale of ${currency} is not known`)
  return scale
}

export function isCurrency(scales: Scales, code: string): code is Currency {
  return scales.has(code)
}
