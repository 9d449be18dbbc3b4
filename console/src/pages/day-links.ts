/** Where each number of a day leads: to what it is made of. */
import { part } from '../api.ts'
import { KINDS } from './money/kinds.ts'

interface Of {
  readonly day: string
  readonly currency: string
  /** Empty: of players without one, where others have one. */
  readonly brand?: string | undefined
}

const wordsOf = ({ day, currency }: Of) => [`from=${day}`, `to=${day}`, `currency=${part(currency)}`]

function reports(of: Of, more: string): string {
  return `/reports?${[...wordsOf(of), ...(of.brand ? [`brand=${part(of.brand)}`] : []), more].join('&')}`
}

/** Where the two books of a day are compared; at once, where this console has both. */
export const comparisonOf = (day: string, hasPlatform: boolean) =>
  `/money?day=${day}${hasPlatform ? '&compare=platform' : ''}#reconciliation`

export function linkOf(name: string, of: Of): string {
  const moved = KINDS.find((one) => one.name === name)
  if (moved === undefined) return reports(of, name === 'Result' ? 'by=platform' : 'view=trial')
  const brand = of.brand === undefined ? [] : [`brand=${part(of.brand)}`]
  return `/money/transfers?${[`kind=${moved.kind}`, ...wordsOf(of), ...brand].join('&')}`
}
