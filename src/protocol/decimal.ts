/** Decimal texts of any scale, summed and compared exactly, where no currency is at hand: no float ever touches money (M-1). Light, for the console. */

/** With the digits of the one that has most of them. */
export function sumOf(amounts: readonly string[]): string {
  const digits = digitsOf(amounts)
  const sum = unitsOf(amounts).reduce((total, units) => total + units, 0n)
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0')
  const shown = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return sum < 0n ? `-${shown}` : shown
}

/** In the smallest part that one of them has, so that they can be compared. */
export function unitsOf(amounts: readonly string[]): bigint[] {
  const digits = digitsOf(amounts)
  return amounts.map((amount) => {
    const [whole = '0', rest = ''] = amount.replace('-', '').split('.')
    return BigInt(whole + rest.padEnd(digits, '0')) * (amount.startsWith('-') ? -1n : 1n)
  })
}

function digitsOf(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
}

export function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`
}
