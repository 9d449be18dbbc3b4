/**
 * Money of simulated markets in hundredths. The yen has no smaller unit, so its amounts are
 * multiples of 100.
 */
import { parseWireBalance } from '@purser/protocol/values/money'

const DECIMALS = 2

export const MARKET_CURRENCIES = ['EUR', 'JPY'] as const
export type CurrencyName = (typeof MARKET_CURRENCIES)[number]
export type CurrencyAmounts = Record<CurrencyName, bigint>

export function zeroAmounts(): CurrencyAmounts {
  return { EUR: 0n, JPY: 0n }
}

/** `written` is an amount or a balance on the wire. */
export function parseCents(written: string): bigint {
  const cents = parseWireBalance(written, DECIMALS)
  if (cents === undefined) throw new Error(`${written} is no money of a currency with two decimals`)
  return cents
}

/** `minorUnits` is an amount in a database. */
export function toCents(currency: string, minorUnits: bigint): bigint {
  return currency === 'JPY' ? minorUnits * 100n : minorUnits
}

/** Formats the amount with the decimals of the currency. */
export function formatMarketAmount(currency: string, euros: string): string {
  return currency === 'JPY' ? (euros.split('.')[0] ?? '') : euros
}
