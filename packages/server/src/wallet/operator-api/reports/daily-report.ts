/** Daily report by currency, brand, platform and site, from the sums of the ledger. */

import { CurrencySchema } from '@purser/protocol/bet-request'
import { formatMoney, money, requireScale, type Scales, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import { nextTurn } from '@purser/runtime/async/sleep'
import { groupBy } from '@purser/runtime/group'
import { formatCsvLine, formatTextCell } from '@purser/runtime/text/csv-writer'
import { type Static, Type } from 'typebox'
import { noUnknownMembers, toTime } from '../../../core/http/api/pagination.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'
import {
  DAY_MS,
  type DailySum,
  type DailySums,
  DIMENSIONS,
  type Dimension,
  readDailySums,
} from '../../ledger/daily-sums.ts'
import { ACCOUNTS, type AccountName, type TransferKind } from '../../ledger/posting.ts'
import { type OperatorDeps, toCurrency } from '../operator-context.ts'
import { PlatformSchema, SiteSchema } from '../operator-schemas.ts'
import { BrandSchema } from '../players/player-profile.ts'

const MAX_DAYS = 400
/** Rows per answer at most. */
const MAX_ROWS = 5_000
const NAMES = ['currency', ...DIMENSIONS] as const
/** Sites are left out by default, because a platform can name any number of sites. */
const DEFAULT_BY: readonly Dimension[] = ['brand', 'platform']
const optional = Type.Optional

function mapValues<K extends string, V, T>(members: Readonly<Record<K, V>>, to: (value: V) => T): Record<K, T> {
  return Object.fromEntries(Object.entries<V>(members).map(([name, value]) => [name, to(value)])) as Record<K, T>
}

const day = (description: string) => optional(Type.String({ format: 'date', description }))
const decimal = (description: string) => Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description })

export const ReportQuerySchema = Type.Object(
  {
    from: day('The first day in UTC. The default is yesterday.'),
    to: day(`The last day, which is included. The default is \`from\`, and the maximum is ${MAX_DAYS} days.`),
    currency: optional(CurrencySchema),
    brand: optional(BrandSchema),
    platform: optional(PlatformSchema),
    site: optional(SiteSchema),
    by: optional(
      Type.String({
        pattern: `^(${NAMES.join('|')})(,(${NAMES.join('|')}))*$`,
        description: `The dimensions of the rows, separated by commas: ${DIMENSIONS.join(', ')}. The default is ${DEFAULT_BY.join(',')}. Rows are always split by currency.`,
      }),
    ),
  },
  noUnknownMembers,
)

/**
 * A column sums the transfers of one kind that change an account. `sign` is the sign of an increase
 * of the account.
 */
interface ReportColumn {
  readonly account: AccountName
  readonly kind: TransferKind
  readonly sign: 1n | -1n
  readonly description: string
}

const COLUMNS = {
  deposits: { account: 'player', kind: 'deposit', sign: 1n, description: 'Deposits.' },
  withdrawals: { account: 'player', kind: 'withdrawal', sign: -1n, description: 'Withdrawals.' },
  stakes: { account: 'player', kind: 'stake', sign: -1n, description: "Stakes from players' own money." },
  refunds: { account: 'player', kind: 'refund', sign: 1n, description: 'Stakes that rollbacks refunded.' },
  payouts: { account: 'player', kind: 'payout', sign: 1n, description: 'Payouts.' },
  resettlements: {
    account: 'player',
    kind: 'payout_reversal',
    sign: 1n,
    description: 'Payout reversals, at most 0.',
  },
  adjustments: { account: 'player', kind: 'adjustment', sign: 1n, description: 'Manual adjustments, signed.' },
  openings: {
    account: 'player',
    kind: 'opening',
    sign: 1n,
    description: 'Balances imported from another wallet (O-8).',
  },
  promotionStakes: {
    account: 'promotions',
    kind: 'stake',
    sign: -1n,
    description: 'Stakes of freebets, which promotions paid.',
  },
  promotionRefunds: { account: 'promotions', kind: 'refund', sign: 1n, description: 'Refunds of these stakes.' },
  promotionPayouts: {
    account: 'promotions',
    kind: 'payout',
    sign: 1n,
    description: 'Payouts that went to promotions.',
  },
  promotionResettlements: {
    account: 'promotions',
    kind: 'payout_reversal',
    sign: 1n,
    description: 'Reversals of these payouts, at most 0.',
  },
} as const satisfies Record<string, ReportColumn>
type ReportColumnName = keyof typeof COLUMNS

const Ends = Type.Object({ opening: decimal('The balance at midnight.'), closing: decimal('The balance a day later.') })

export const ReportRowSchema = Type.Object({
  day: Type.String({ format: 'date' }),
  currency: CurrencySchema,
  brand: optional(BrandSchema),
  platform: optional(PlatformSchema),
  site: optional(SiteSchema),
  final: Type.Boolean({ description: 'The sums of the day are final.' }),
  transfers: Type.Integer({ minimum: 0 }),
  ...mapValues(COLUMNS, ({ description }) => decimal(description)),
  openStakesChange: decimal(
    'The decrease of open stakes during the day. It is negative if more was staked than settled or refunded.',
  ),
  ggr: decimal(
    'GGR: closed stakes less payouts. It sums stakes - refunds - payouts - resettlements + openStakesChange over players and promotions.',
  ),
  accounts: Type.Object({
    player: Ends,
    open_stakes: Ends,
    house: Ends,
    promotions: Ends,
    cash_in: Ends,
    cash_out: Ends,
    adjustments: Ends,
    openings: Ends,
  }),
  sum: decimal('The sum of the closing balances. The ledger is out of balance unless it is zero.'),
})
export const ReportSchema = Type.Object({ data: Type.Array(ReportRowSchema) })
export type ReportRow = Static<typeof ReportRowSchema>

/**
 * Returns rows ordered by day, currency, brand, platform and site. A day without transfers still
 * has a row for each combination of these that has earlier transfers.
 */
export async function createDailyReport(
  deps: Pick<OperatorDeps, 'db' | 'clock' | 'scales'>,
  { by, ...filters }: Static<typeof ReportQuerySchema>,
): Promise<ReportRow[]> {
  const now = deps.clock.now()
  if (filters.currency !== undefined) toCurrency(deps, filters.currency, '/query/currency')
  const days = toDays(filters, now)
  const dimensions = chooseDimensions(by, filters)
  const [from, to] = [days[0] as Date, dayAfter(days.at(-1) as Date)]
  const sums = await readDailySums(deps.db, { from, to, by: dimensions, only: filters }, now)
  const groups = [...groupBy([...(sums?.before ?? []), ...(sums?.days ?? [])], groupKey).values()].map(
    ([one]) => one as Sum,
  )
  if (sums === undefined || days.length * groups.length > MAX_ROWS)
    throw invalid('/query/by', `makes too many rows: choose fewer days, one ${NAMES.join(', ')}, or fewer dimensions`)
  return toRows(deps.scales, days, groups.toSorted(inOrder), sums)
}

/** A dimension with a filter is always part of the rows. */
function chooseDimensions(by: string | undefined, only: Partial<Record<Dimension, string>>): readonly Dimension[] {
  const filters: readonly string[] = by?.split(',') ?? DEFAULT_BY
  return DIMENSIONS.filter((one) => filters.includes(one) || only[one] !== undefined)
}

async function toRows(
  scales: Scales,
  days: readonly Date[],
  groups: readonly Sum[],
  sums: DailySums,
): Promise<ReportRow[]> {
  const earlier = groupBy(sums.before, groupKey)
  const sumsOf = groupBy(sums.days, (sum) => `${sum.day.getTime()} ${groupKey(sum)}`)
  const balances = new Map(
    groups.map((group) => [groupKey(group), addTransfers(NOTHING, earlier.get(groupKey(group)) ?? [])]),
  )
  const rows: ReportRow[] = []
  for (const day of days) {
    await nextTurn() // lets the process answer calls between two days
    for (const group of groups) {
      const key = groupKey(group)
      const moved = sumsOf.get(`${day.getTime()} ${key}`) ?? []
      const opening = balances.get(key) ?? NOTHING
      const closing = addTransfers(opening, moved)
      balances.set(key, closing)
      if (moved.length === 0 && opening.size === 0) continue
      rows.push({
        ...renderDay(day, group, day < sums.open),
        ...renderSums(scales, group.currency, opening, moved, closing),
      })
    }
  }
  return rows
}

type Sum = Omit<DailySum, 'day' | 'kind'>
type Balances = ReadonlyMap<AccountName, bigint>
const NOTHING: Balances = new Map()

/** A site can be any text, so it is the last part. */
const groupKey = ({ currency, platform, brand, site }: Sum) => `${currency} ${platform} ${brand} ${site}`
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const inOrder = (a: Sum, b: Sum) => NAMES.reduce((order, name) => order || compare(a[name], b[name]), 0)
const dayAfter = (day: Date) => new Date(day.getTime() + DAY_MS)
const dateOf = (day: Date) => day.toISOString().slice(0, 10)

/** Midnights of the days from `from` to `to`, without days in the future. */
function toDays({ from, to }: { from?: string; to?: string }, now: Date): Date[] {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)
  const first = from === undefined ? new Date(today.getTime() - DAY_MS) : toDay(from, '/query/from')
  const last = to === undefined ? first : toDay(to, '/query/to')
  if (first > today) throw invalid('/query/from', 'has not begun')
  if (last < first) throw invalid('/query/to', 'is before from')
  const count = (Math.min(last.getTime(), today.getTime()) - first.getTime()) / DAY_MS + 1
  if (count > MAX_DAYS) throw invalid('/query/to', `is more than ${MAX_DAYS} days after from`)
  return Array.from({ length: count }, (_, i) => new Date(first.getTime() + i * DAY_MS))
}

/** Any past day is valid, even before the first transfer. */
function toDay(text: string, pointer: string): Date {
  return toTime(`${text}T00:00:00Z`, pointer)
}

function addTransfers(balances: Balances, moved: readonly Sum[]): Balances {
  const after = new Map(balances)
  for (const { debit, credit, amount } of moved) {
    after.set(debit, (after.get(debit) ?? 0n) - amount)
    after.set(credit, (after.get(credit) ?? 0n) + amount)
  }
  return after
}

function renderDay(day: Date, { currency, brand, platform, site }: Sum, final: boolean) {
  const names = { ...(brand !== '' && { brand }), ...(platform !== '' && { platform }), ...(site !== '' && { site }) }
  return { day: dateOf(day), currency, ...names, final }
}

function renderSums(
  scales: Scales,
  currency: Currency,
  opening: Balances,
  moved: readonly DailySum[],
  closing: Balances,
) {
  const scale = requireScale(scales, currency)
  const show = (amount = 0n) => formatMoney(money(amount), scale)
  const of = (balances: Balances, account: AccountName) => balances.get(account) ?? 0n
  return {
    transfers: Number.parseInt(String(moved.reduce((sum, { transfers }) => sum + transfers, 0n)), 10),
    ...mapValues(COLUMNS, (column) => show(sumColumn(column, moved))),
    openStakesChange: show(of(opening, 'open_stakes') - of(closing, 'open_stakes')),
    ggr: show(of(closing, 'house') - of(opening, 'house')),
    accounts: Object.fromEntries(
      ACCOUNTS.map((account) => [
        account,
        { opening: show(of(opening, account)), closing: show(of(closing, account)) },
      ]),
    ) as ReportRow['accounts'],
    sum: show(ACCOUNTS.reduce((sum, account) => sum + of(closing, account), 0n)),
  }
}

/** Counts both directions, because an adjustment may debit or credit the player. */
function sumColumn({ account, kind, sign }: ReportColumn, moved: readonly DailySum[]): bigint {
  const ofKind = moved.filter((sum) => sum.kind === kind)
  return (
    sign *
    ofKind.reduce((total, { debit, credit, amount }) => {
      if (credit === account) return total + amount
      return debit === account ? total - amount : total
    }, 0n)
  )
}

/** CSV for spreadsheets: a line per row, decimals with a point, no formulas. */
export function toReportCsv(rows: readonly ReportRow[]): string {
  const names = [...(Object.keys(COLUMNS) as ReportColumnName[]), 'openStakesChange', 'ggr'] as const
  const head = ['day', 'currency', 'brand', 'final', 'transfers', ...names]
  const accounts = ACCOUNTS.flatMap((account) => [`${account}_opening`, `${account}_closing`])
  const lines = rows.map((row) => [
    ...[row.day, row.currency, row.brand ?? '', row.final, row.transfers, ...names.map((name) => row[name])],
    ...ACCOUNTS.flatMap((account) => [row.accounts[account].opening, row.accounts[account].closing]),
    row.sum,
    row.platform ?? '',
    formatTextCell(row.site),
  ])
  return [[...head, ...accounts, 'sum', 'platform', 'site'], ...lines].map(formatCsvLine).join('')
}
