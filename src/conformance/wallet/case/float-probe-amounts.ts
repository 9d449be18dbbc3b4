/**
 * Amounts by which a floating-point balance is seen, whatever the player begins with.
 *
 * A stake of ten minor units is lost in the digits of one balance and exact in those of another.
 * So a win leads to a total that a double holds a little too low, and that 32 bits hold wrongly by
 * many minor units. The total is so large that errors of earlier calls do not count. A stake of its
 * major units is exact in every float; after it the error is a visible part of the balance.
 */
import { formatMoney, money, toDouble } from '../../../protocol/values/money.ts'

/** inexact win: leads to the total; major part, minor part: of the balance. */
export type FloatProbeAmount = 'inexact win' | 'major part' | 'minor part'

/** The least total in major units: errors of the other cases are small beside its last digit. */
const TOTAL = 2n ** 29n
/** The total is at least this many times the balance. */
const TIMES_BALANCE = 64n
/** Minor units: more digits than a double holds are another matter (M-2). */
const MAX_TOTAL = 10n ** 15n
/** Major units above the power of two, which 32 bits cannot hold there. */
const ABOVE = 13n
/** The error of a total, in parts of the last digit that a double has. */
const ERROR = { from: 0.04, to: 0.25 }

/** Minor units. */
export function computeFloatProbe(chosen: FloatProbeAmount, balance: bigint, scale: number): bigint {
  const minorPart = balance % majorUnit(scale)
  switch (chosen) {
    case 'inexact win':
      return inexactTotal(balance, scale) - balance
    case 'major part':
      return balance - minorPart
    case 'minor part':
      return minorPart
    default:
      return chosen satisfies never
  }
}

/** A currency without decimal places has parts of ten. */
function majorUnit(scale: number): bigint {
  return 10n ** BigInt(Math.max(scale, 1))
}

function inexactTotal(balance: bigint, scale: number): bigint {
  const unit = majorUnit(scale)
  let power = TOTAL * unit
  while (power < TIMES_BALANCE * balance) power *= 2n
  while (2n * power > MAX_TOTAL) power /= 2n
  const begin = power + ABOVE * unit
  for (let minorPart = 1n; minorPart < unit; minorPart++)
    if (isRoundedDown(begin, minorPart, scale)) return begin + minorPart
  return begin + 1n
}

/** A double holds the sum a little too low. */
function isRoundedDown(majorPart: bigint, minorPart: bigint, scale: number): boolean {
  const asDouble = (units: bigint) => toDouble(formatMoney(money(units), scale))
  const total = asDouble(majorPart + minorPart)
  const lastDigit = 2 ** (Math.floor(Math.log2(total)) - 52)
  const error = (asDouble(minorPart) - (total - asDouble(majorPart))) / lastDigit
  return error >= ERROR.from && error <= ERROR.to
}
