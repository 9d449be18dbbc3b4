/** The currency of the market has two decimals. */
import { parseWireBalance } from '../../protocol/money.ts'

const DECIMALS = 2

/** Of an amount or a balance as it is written on the wire. */
export function centsOf(written: string): bigint {
  const cents = parseWireBalance(written, DECIMALS)
  if (cents === undefined) throw new Error(`${written} is no money of a currency with two decimals`)
  return cents
}
