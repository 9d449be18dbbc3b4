/** Money for display: the ledger's own decimal text with thousands separators, never a float. */

/** The minus sign is U+2212, as wide as a plus sign. */
export function amountText(amount: string): string {
  const [whole = '', ...decimals] = amount.replace('-', '−').split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.')
}

/** "1,234.50 EUR" */
export const moneyText = (amount: string, currency: string): string => `${amountText(amount)} ${currency}`.trim()

export const isZero = (amount: string): boolean => /^-?[0.]+$/.test(amount)

/** Zero has no sign. */
export function formatSigned(amount: string): string {
  return amount.startsWith('-') || isZero(amount) ? amountText(amount) : `+${amountText(amount)}`
}
