/**
 * Money is an integer count of minor units of a currency, a bigint, everywhere inside (M-1). This is the only file in
 * which an amount is a number; a decimal text it is here and in decimal.ts. Nothing here rounds.
 */
import type { Currency } from '../wire-ids.ts'
import { LIMITS } from '../wire-limits.ts'

declare const brand: unique symbol
/** Minor units (EUR: cents) of the currency that stands beside it. */
export type Money = bigint & { readonly [brand]: 'Money' }

/** Decimal places per currency (M-2). */
export type Scales = ReadonlyMap<string, number>

/** One amount may not exceed this many minor units: balances and their sums then stay inside Postgres' bigint. */
export const MAX_AMOUNT = 10n ** 18n - 1n

/** No balance may pass this, in minor units: the top of Postgres' bigint with room to spare. */
export const MAX_BALANCE = 9n * 10n ** 18n

export const ZERO = 0n as Money

export function money(minorUnits: bigint): Money {
  return minorUnits as Money
}

/** True if a balance can be stored, with room to spare. */
export function fitsBalance(balance: bigint): balance is Money {
  return balance <= MAX_BALANCE && balance >= -MAX_BALANCE
}

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/** Reads a decimal text ("12.10", "1e2") into minor units; undefined if it is negative, too large or has more decimals than `scale`. */
export function parseDecimal(text: string, scale: number): Money | undefined {
  const match = DECIMAL.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = scale - fraction.length + Number(exponent)
  const digits = whole + fraction
  const units = shift >= 0 ? BigInt(digits + '0'.repeat(shift)) : divideExactly(BigInt(digits), 10n ** BigInt(-shift))
  return units === undefined || units > MAX_AMOUNT ? undefined : money(units)
}

function divideExactly(value: bigint, divisor: bigint): bigint | undefined {
  return value % divisor === 0n ? value / divisor : undefined
}

/**
 * True if an amount in minor units is above a limit, a decimal text ("100", "0.5"). Both are compared in the finer scale of the two: a
 * limit of 0.5 binds in a currency without decimals too.
 */
export function isAboveLimit(amount: bigint, scale: number, limit: string): boolean {
  const [whole = '0', fraction = ''] = limit.split('.')
  const decimals = Math.max(scale, fraction.length)
  return amount * 10n ** BigInt(decimals - scale) > BigInt(whole + fraction.padEnd(decimals, '0'))
}

/**
 * Reads an amount of the wire. It must have come through `parseJson` (exact-json.ts), which lets no number with more than
 * 15 significant digits through as an amount, so the shortest decimal of the double is what was written (M-1).
 */
export function parseWireAmount(value: number, scale: number): Money | undefined {
  return isWireAmount(value) ? parseDecimal(String(value), scale) : undefined
}

/** Reads a payout: -0.0, which some programs compute for a lost bet, is the number 0 (D-3). */
export function parseWirePayout(value: number, scale: number): Money | undefined {
  return parseWireAmount(value === 0 ? 0 : value, scale)
}

/** False for what is no amount in any currency: negative, -0, infinite (M-1). */
export function isWireAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && !Object.is(value, -0)
}

/** Reads what a wallet says that a balance is; undefined when it is no amount of the currency. Negative ones are read too. */
export function parseWireBalance(value: unknown, scale: number): Money | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const text = String(value)
  const units = parseDecimal(text.replace(/^-/, ''), scale)
  return units !== undefined && text.startsWith('-') ? money(-units) : units
}

/** "2.5", "100": as `formatMoney`, without the zeros at the end that a wallet may not take on the wire. */
export function formatShortest(amount: Money, scale: number): string {
  const decimal = formatMoney(amount, scale)
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** What `formatMoney` writes, as a JSON Schema pattern. */
export const SIGNED_DECIMAL_PATTERN = '^-?\\d+(\\.\\d+)?$'

/** "12.10": minor units as decimal text with all places of the currency. Negative balances keep their sign. */
export function formatMoney(amount: Money, scale: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(scale + 1, '0')
  const sign = amount < 0n ? '-' : ''
  const cut = digits.length - scale
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`
}

/** True if a JSON number as written has at most 15 significant digits and an exponent that a double holds exactly. */
export function isExactNumber(written: string): boolean {
  const { whole, fraction, exponent } = splitNumber(written)
  const digits = whole + fraction.slice(0, findDigitsEnd(fraction))
  return digits.length - findFirstDigit(digits) <= LIMITS.amountDigits && Math.abs(exponent) < 100
}

/** True if the double that a JSON number is read as, written again, has the same value: nothing was rounded, not even -0. */
export function isExactDouble(written: string): boolean {
  const value = Number(written)
  return Number.isFinite(value) && canonical(written) === canonical(String(value))
}

/** True for -0, -0.0, -0e5. */
export function isNegativeZero(written: string): boolean {
  return canonical(written) === '-'
}

/** One spelling per value: sign, digits without zeros around them, power of ten. */
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

/** One look at each character, and no pattern: the largest body can hold 40,000 numbers, or one of 262,144 digits. */
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
    exponent: Number(written.slice(end + 1)), // of none 0
  }
}

/** Where the first digit that is no zero stands; the end when there is none. */
function findFirstDigit(digits: string): number {
  let at = 0
  while (digits.charCodeAt(at) === ZERO_DIGIT) at++
  return at
}

/** Behind the last digit that is no zero; 0 when there is none. */
function findDigitsEnd(digits: string): number {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO_DIGIT) end--
  return end
}

/** A decimal text as a double, for what is no money. */
export function toDouble(written: string): number {
  return Number(written)
}

// ISO 4217, the active codes by number of decimal places. ANG and BGN are withdrawn, and stay: bets
// in them may still be open.
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

// The crypto currencies of decision M-2 and their nearest kin; an operator adds others by configuration.
const CRYPTO: Record<number, string> = { 6: 'USDC USDT', 8: 'BTC ETH LTC' }

/** Every currency known without configuration. */
export const STANDARD_SCALES: Scales = new Map(
  [ISO_4217, CRYPTO].flatMap((table) =>
    Object.entries(table).flatMap(([scale, codes]) => codes.split(' ').map((code) => [code, Number(scale)] as const)),
  ),
)

/** The finest scale that leaves room for useful amounts under MAX_AMOUNT. */
export const MAX_SCALE = 12

/** The scale of a currency in use; one that is not configured is a bug: the start refuses it (M-5). */
export function requireScale(scales: Scales, currency: string): number {
  const scale = scales.get(currency)
  if (scale === undefined) throw new Error(`the scale of ${currency} is not known`)
  return scale
}

export function isCurrency(scales: Scales, code: string): code is Currency {
  return scales.has(code)
}
