/**
 * Amounts that reveal a wallet with floating-point balances, for any balance of the player.
 *
 * A small stake leaves some float balances exact and others inexact. So a win first leads to a
 * chosen total. A double represents this total slightly too low, and a 32-bit float misses it by
 * many minor units. The total is so large that earlier errors do not count. Then a stake of the
 * whole major units leaves a small balance, in which the error is visible.
 */
import { formatMoney, money, toDouble } from '@purser/protocol/values/money'

/** inexact win: leads to the total. major part, minor part: parts of the balance. */
export type FloatProbeAmount = 'inexact win' | 'major part' | 'minor part'

/** Smallest total in major units. Errors of other cases are small compared to its last digit. */
const TOTAL = 2n ** 29n
/** The total is at least this multiple of the balance. */
const TIMES_BALANCE = 64n
/** Minor units. More digits than a double has are another subject (M-2). */
const MAX_TOTAL = 10n ** 15n
/** Major units above the power of two, which a 32-bit float cannot represent. */
const ABOVE = 13n
/** The error of a total, as a share of a double's last digit. */
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

/** For a currency without decimals, ten units count as one major unit. */
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

function isRoundedDown(majorPart: bigint, minorPart: bigint, scale: number): boolean {
  const asDouble = (units: bigint) => toDouble(formatMoney(money(units), scale))
  const total = asDouble(majorPart + minorPart)
  const lastDigit = 2 ** (Math.floor(Math.log2(total)) - 52)
  const error = (asDouble(minorPart) - (total - asDouble(majorPart))) / lastDigit
  return error >= ERROR.from && error <= ERROR.to
}
