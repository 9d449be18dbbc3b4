/** Where each number of a day leads: to what it is made of. */
import { part } from '../api.ts'

interface Of {
  readonly day: string
  readonly currency: string
  readonly brand?: string | undefined
}

function reports({ day, currency, brand }: Of, more: string): string {
  const words = [`from=${day}`, `to=${day}`, `currency=${part(currency)}`, ...(brand ? [`brand=${part(brand)}`] : [])]
  return `/reports?${[...words, more].join('&')}`
}

/** A stake is taken on the day of its bet; results may be of earlier bets. */
export function linkOf(name: string, of: Of): string {
  if (name === 'Players had' || name === 'Players have') return reports(of, 'view=trial')
  if (name === 'Stakes') return `/bets?from=${of.day}&to=${of.day}`
  return reports(of, `by=${OF_BETS.includes(name) ? 'platform' : 'brand'}`)
}

const OF_BETS = ['Payouts', 'Refunds', 'Resettlements', 'Result']
