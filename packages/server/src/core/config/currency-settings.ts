/** Parser for PURSER_CURRENCIES. It adds errors to the list `problems`. */
import { MAX_SCALE, type Scales, STANDARD_SCALES } from '@purser/protocol/values/money'

/**
 * Currencies in addition to ISO 4217, and finer scales (M-2). A coarser scale could not hold all
 * amounts.
 */
export function parseCurrencyScales(text: string, problems: string[]): Scales {
  const own = new Map<string, number>()
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [, currency = '', decimals = ''] = /^([A-Z0-9]{3,5}):(\d{1,2})$/.exec(entry.trim()) ?? []
    const scale = Number.parseInt(decimals, 10)
    if (currency === '' || scale > MAX_SCALE)
      problems.push(
        `PURSER_CURRENCIES: "${entry}" is not CODE:decimals with ${describeCode(entry)}0 to ${MAX_SCALE} decimals`,
      )
    else if (isCoarser(currency, scale))
      problems.push(`PURSER_CURRENCIES: "${entry}" is coarser than the standard scale`)
    else if (own.has(currency))
      problems.push(`PURSER_CURRENCIES: "${entry}" gives a second scale for the same currency`)
    else own.set(currency, scale)
  }
  return new Map([...STANDARD_SCALES, ...own])
}

/** The platform sends codes in upper case. */
function describeCode(entry: string): string {
  return entry === entry.toUpperCase() ? '' : 'a code in upper case and '
}

function isCoarser(currency: string, scale: number): boolean {
  const standard = STANDARD_SCALES.get(currency)
  return standard !== undefined && scale < standard
}
