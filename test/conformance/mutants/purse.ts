/** The money of a player in one currency: a count of minor units (M-1), or a float in the wallet that gets this wrong. */
import { decimalsOf, decimalText } from './amount.ts'
import type { Faults } from './mutants.ts'

export interface Purse {
  readonly currency: string
  /** Minor units. */
  units(): bigint
  /** Enough for this stake. */
  covers(units: bigint): boolean
  add(units: bigint): void
  /** Decimal text with all places of the currency. */
  text(): string
}

export function createPurse(faults: Faults, currency: string): Purse {
  const decimals = decimalsOf(faults, currency) ?? 2
  return faults.has('float-balance') ? floatPurse(currency, decimals) : exactPurse(currency, decimals)
}

function exactPurse(currency: string, decimals: number): Purse {
  let balance = 0n
  return {
    currency,
    units: () => balance,
    covers: (units) => balance >= units,
    add: (units) => {
      balance += units
    },
    text: () => decimalText(balance, decimals),
  }
}

function floatPurse(currency: string, decimals: number): Purse {
  const scale = 10 ** decimals
  let balance = 0
  return {
    currency,
    units: () => BigInt(Math.trunc(balance * scale)),
    covers: (units) => balance >= Number(units) / scale,
    add: (units) => {
      balance += Number(units) / scale
    },
    text: () => String(balance),
  }
}
