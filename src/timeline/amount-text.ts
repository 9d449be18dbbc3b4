/** Amounts for the eye: the text is the ledger's own, with its thousands apart. No float touches it. */

/** A minus as wide as a plus. */
export function amountText(amount: string): string {
  const [whole = '', ...decimals] = amount.replace('-', '−').split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.')
}

/** "1,234.50 EUR" */
export const moneyText = (amount: string, currency: string): string => `${amountText(amount)} ${currency}`.trim()

/** Of any scale, and of any sign. */
export const isZero = (amount: string): boolean => /^-?[0.]+$/.test(amount)

/** Zero has no sign. */
export function formatSigned(amount: string): string {
  return amount.startsWith('-') || isZero(amount) ? amountText(amount) : `+${amountText(amount)}`
}
