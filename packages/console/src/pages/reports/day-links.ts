/** Links from each figure of a day to the transfers or the report that explain the figure. */
import { encodeQueryPart } from '../../app/console-api.ts'
import { MONEY_KINDS } from '../money/money-kinds.ts'

interface DayKey {
  readonly day: string
  readonly currency: string
  /** Empty for players without a brand, if other players have one. */
  readonly brand?: string | undefined
}

const dayQuery = ({ day, currency }: DayKey) => [`from=${day}`, `to=${day}`, `currency=${encodeQueryPart(currency)}`]

function reportLink(of: DayKey, more: string): string {
  return `/reports?${[...dayQuery(of), ...(of.brand ? [`brand=${encodeQueryPart(of.brand)}`] : []), more].join('&')}`
}

/** The reconciliation of a day. It starts at once if this console has both APIs. */
export const comparisonLink = (day: string, hasPlatform: boolean) =>
  `/money?day=${day}${hasPlatform ? '&compare=platform' : ''}#reconciliation`

export function dayFigureLink(name: string, of: DayKey): string {
  const moved = MONEY_KINDS.find((one) => one.name === name)
  if (moved === undefined) return reportLink(of, name === 'GGR' ? 'by=platform' : 'view=trial')
  const brand = of.brand === undefined ? [] : [`brand=${encodeQueryPart(of.brand)}`]
  return `/money/transfers?${[`kind=${moved.kind}`, ...dayQuery(of), ...brand].join('&')}`
}
