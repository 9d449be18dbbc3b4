/** Amounts for the eye: the text is the ledger's own. */

/** A minus as wide as a plus; zero has no sign. */
export function signed(amount: string): string {
  if (amount.startsWith('-')) return `−${amount.slice(1)}`
  return /^[0.]+$/.test(amount) ? amount : `+${amount}`
}
