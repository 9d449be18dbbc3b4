/** The report's rows, of which each is of one platform and site too (W-43, O-7), added up: a player's balance is of all of them. */
import { ACCOUNTS, type AccountName } from '../../../src/ledger/posting.ts'
import { sumOf } from '../../../src/protocol/decimal.ts'
import { groupBy } from '../../../src/runtime/group.ts'
import { isZero } from '../../../src/timeline/amounts.ts'

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
export interface DayOfMoney {
  readonly whole: ReportRow
  /** Empty where no platform has a name. */
  readonly byPlatform: readonly ReportRow[]
}

export const negated = (amount: string) =>
  amount.startsWith('-') ? amount.slice(1) : isZero(amount) ? amount : `-${amount}`

/** In the order of the report. */
export function daysIn(rows: readonly ReportRow[]): DayOfMoney[] {
  const keyOf = ({ currency, brand }: ReportRow) => JSON.stringify([currency, brand])
  return [...groupBy(rows, keyOf).values()].map((some) => {
    const isNamed = some.some(({ platform }) => platform !== undefined)
    return { whole: added(some), byPlatform: isNamed ? grouped(some, ({ platform = '' }) => platform, 'platform') : [] }
  })
}

export type Split = 'brand' | 'platform' | 'site'

/** What has none of a split, on every page: the platform whose secret has no name is called so wherever it is named. */
export const NONE_OF: Readonly<Record<Split, string>> = { brand: 'no brand', platform: 'The platform', site: 'no site' }

/** What belongs together, added up; the rows of one platform or site keep its name. */
export function grouped(rows: readonly ReportRow[], keyOf: (row: ReportRow) => string, split?: Split): ReportRow[] {
  return [...groupBy(rows, keyOf).values()].map((some) => {
    const name = split && some[0]?.[split]
    return { ...added(some), ...(split !== undefined && name !== undefined && { [split]: name }) }
  })
}

export function added(rows: readonly ReportRow[]): ReportRow {
  const [first] = rows
  if (first === undefined) throw new Error('a day without rows')
  const { platform: _platform, site: _site, ...rest } = first
  const moved = Object.fromEntries(MOVED.map((name) => [name, sumOf(rows.map((row) => row[name]))])) as Pick<
    ReportRow,
    (typeof MOVED)[number]
  >
  const ends = (name: AccountName, end: keyof Ends) => sumOf(rows.map(({ accounts }) => accounts[name][end]))
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

/** What the house earned, and what it comes from, each as it counts for the house; `rest` is zero, or the figures are wrong. */
export function resultOf({ accounts: { open_stakes: open }, ...row }: ReportRow) {
  const staked = sumOf([row.stakes, row.promotionStakes])
  const refunded = negated(sumOf([row.refunds, row.promotionRefunds]))
  const paid = negated(sumOf([row.payouts, row.promotionPayouts, row.resettlements, row.promotionResettlements]))
  const held = sumOf([open.opening, negated(open.closing)])
  const rest = sumOf([staked, refunded, paid, held, negated(row.ggr)])
  return { staked, refunded, paid, held, result: row.ggr, rest }
}
