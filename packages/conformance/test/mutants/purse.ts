/** The money of a player in one currency: minor units (M-1), or a float in a faulty wallet. */
import { decimalsOf, decimalText } from './amount.ts'
import type { Faults } from './mutants.ts'

export interface Purse {
  readonly currency: string
  /** Minor units. */
  units(): bigint
  covers(units: bigint): boolean
  add(units: bigint): void
  /** Decimal text with all places of the currency. */
  text(): string
}

/** The stored and the shown balance of a faulty wallet. */
interface FloatFormat {
  keep(balance: number): number
  show(balance: number, decimals: number): string
}

export function createPurse(faults: Faults, currency: string): Purse {
  const decimals = decimalsOf(faults, currency) ?? 2
  const format = () => floatFormatOf(faults)
  return format() === undefined ? exactPurse(currency, decimals) : floatPurse(currency, decimals, format)
}

function floatFormatOf(faults: Faults): FloatFormat | undefined {
  const asItIs = (balance: number) => balance
  const rounded = (balance: number, decimals: number) => balance.toFixed(decimals)
  if (faults.has('float-balance')) return { keep: asItIs, show: String }
  if (faults.has('float-balance-rounded')) return { keep: asItIs, show: rounded }
  if (faults.has('float32-balance')) return { keep: Math.fround, show: rounded }
  return faults.has('real-column') ? { keep: throughReal, show: rounded } : undefined
}

/** Postgres writes a float4 with the fewest digits that identify it, and a client reads these. */
function throughReal(balance: number): number {
  const kept = Math.fround(balance)
  const texts = [6, 7, 8, 9].map((digits) => kept.toPrecision(digits))
  return Number(texts.find((text) => Math.fround(Number(text)) === kept) ?? kept)
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

function floatPurse(currency: string, decimals: number, format: () => FloatFormat | undefined): Purse {
  const scale = 10 ** decimals
  let balance = 0
  return {
    currency,
    units: () => BigInt(Math.round(balance * scale)),
    covers: (units) => format() !== undefined && balance >= Number(units) / scale,
    add: (units) => {
      const sum = balance + Number(units) / scale
      balance = format()?.keep(sum) ?? sum
    },
    text: () => format()?.show(balance, decimals) ?? '',
  }
}
