/**
 * Adds up the rows of a report. The money of bets belongs to one platform and site (W-43, O-7), but
 * a player's balance does not.
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { groupBy } from '@purser/runtime/group'
import { isZero } from '@purser/timeline/amount-text'
import { ACCOUNTS, type AccountName } from 'purser/wallet/ledger/posting'

const MOVED = [
  'deposits',
  'withdrawals',
  'stakes',
  'refunds',
  'payouts',
  'resettlements',
  'adjustments',
  'openings',
  'promotionStakes',
  'promotionRefunds',
  'promotionPayouts',
  'promotionResettlements',
  'ggr',
  'sum',
] as const

interface Ends {
  readonly opening: string
  readonly closing: string
}

export type ReportRow = Readonly<Record<(typeof MOVED)[number], string>> & {
  readonly day: string
  readonly currency: string
  readonly brand?: string
  readonly platform?: string
  readonly site?: string
  readonly final: boolean
  readonly accounts: Readonly<Record<AccountName, Ends>>
}

/** A day of one currency and brand. */
export interface DaySums {
  readonly whole: ReportRow
  /** Empty if no platform has a name. */
  readonly byPlatform: readonly ReportRow[]
}

export const negateAmount = (amount: string) =>
  amount.startsWith('-') ? amount.slice(1) : isZero(amount) ? amount : `-${amount}`

/** In the order of the report. */
export function groupDays(rows: readonly ReportRow[]): DaySums[] {
  const keyOf = ({ currency, brand }: ReportRow) => JSON.stringify([currency, brand])
  return [...groupBy(rows, keyOf).values()].map((some) => {
    const isNamed = some.some(({ platform }) => platform !== undefined)
    return {
      whole: sumReportRows(some),
      byPlatform: isNamed ? groupAndSum(some, ({ platform = '' }) => platform, 'platform') : [],
    }
  })
}

export type Dimension = 'brand' | 'platform' | 'site'

/**
 * Labels of rows without a brand, platform or site. The platform whose secret has no name has the
 * same label on all pages.
 */
export const NONE_OF: Readonly<Record<Dimension, string>> = {
  brand: 'no brand',
  platform: 'Default platform',
  site: 'no site',
}

/** The sum of a group keeps the name of its platform or site. */
export function groupAndSum(
  rows: readonly ReportRow[],
  keyOf: (row: ReportRow) => string,
  dimension?: Dimension,
): ReportRow[] {
  return [...groupBy(rows, keyOf).values()].map((some) => {
    const name = dimension && some[0]?.[dimension]
    return { ...sumReportRows(some), ...(dimension !== undefined && name !== undefined && { [dimension]: name }) }
  })
}

export function sumReportRows(rows: readonly ReportRow[]): ReportRow {
  const [first] = rows
  if (first === undefined) throw new Error('a day without rows')
  const { platform: _platform, site: _site, ...rest } = first
  const moved = Object.fromEntries(MOVED.map((name) => [name, sumDecimals(rows.map((row) => row[name]))])) as Pick<
    ReportRow,
    (typeof MOVED)[number]
  >
  const ends = (name: AccountName, end: keyof Ends) => sumDecimals(rows.map(({ accounts }) => accounts[name][end]))
  const accounts = Object.fromEntries(
    ACCOUNTS.map((name) => [name, { opening: ends(name, 'opening'), closing: ends(name, 'closing') }]),
  ) as ReportRow['accounts']
  return {
    ...rest,
    ...moved,
    final: rows.every(({ final }) => final),
    accounts,
  }
}

/**
 * The GGR and its components, with signs from the house's view. `rest` is zero, or the figures are
 * wrong.
 */
export function computeGgr({ accounts: { open_stakes: open }, ...row }: ReportRow) {
  const staked = sumDecimals([row.stakes, row.promotionStakes])
  const refunded = negateAmount(sumDecimals([row.refunds, row.promotionRefunds]))
  const paid = negateAmount(
    sumDecimals([row.payouts, row.promotionPayouts, row.resettlements, row.promotionResettlements]),
  )
  const held = sumDecimals([open.opening, negateAmount(open.closing)])
  const rest = sumDecimals([staked, refunded, paid, held, negateAmount(row.ggr)])
  return { staked, refunded, paid, held, result: row.ggr, rest }
}
