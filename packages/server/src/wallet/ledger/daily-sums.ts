/**
 * Sums of the transfers of each UTC day. The sums of a closed day are stored; the sums of later
 * days are computed by each query.
 */

import type { Currency } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import { type Db, type Queryable, statement } from '../../core/database/db.ts'
import { createDatabaseMetric, formatMetric, type MetricSource } from '../../core/observability/metrics-exposition.ts'
import type { AccountName, TransferKind } from './posting.ts'

export const DAY_MS = 86_400_000
/**
 * Milliseconds from the end of a day until it is closed; the clocks of processes differ by less.
 */
const GRACE_MS = 3_600_000

/** Sums per result at most, because the process also answers calls. */
const MAX_SUMS = 20_000

/** Groupings of a day's transfers in addition to the currency. */
export const DIMENSIONS = ['brand', 'platform', 'site'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Transfers of one kind between two accounts, for one brand, platform and site; '' for none. */
export interface TransferSum {
  readonly currency: string
  readonly brand: string
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly platform: string
  readonly site: string
  readonly transfers: bigint
  /** Minor units; may exceed the range of one account. */
  readonly amount: bigint
}

export interface DailySum extends TransferSum {
  /** Midnight. */
  readonly day: Date
  readonly currency: Currency
  readonly kind: TransferKind
  readonly debit: AccountName
  readonly credit: AccountName
}

export interface DailySumQuery {
  /** First day, and the day after the last one, both at midnight. */
  readonly from: Date
  readonly to: Date
  /** Other dimensions are ''. */
  readonly by: readonly Dimension[]
  /** Filter; '' is a value too. */
  readonly only: Partial<Pick<TransferSum, 'currency' | Dimension>>
}

export interface DailySums {
  /** Totals of the earlier days, without their kinds. */
  readonly before: readonly Omit<DailySum, 'day' | 'kind'>[]
  readonly days: readonly DailySum[]
  /** Midnight of the first day without stored sums. */
  readonly open: Date
}

const TRANSFERS = `select (t.at at time zone 'UTC')::date as day, t.currency, coalesce(p.brand, '') as brand, t.kind, t.debit, t.credit, t.platform, t.site,
      1 as transfers, t.amount
    from purser.transfer t left join purser.player p on p.bucket = t.bucket and p.player = t.player`
const daySql = (parameter: string) => `(${parameter}::timestamptz at time zone 'UTC')::date`
/** Null for days before $1. */
const blankBeforeSql = (column: string) => `case when day >= ${daySql('$1')} then ${column} end as ${column}`

/**
 * Sums the rows of days before $2, grouped by day from $1 on; earlier days have one total.
 * Parameters from $3 on choose groups and filters. The inner grouping leaves few rows for the
 * expressions by day.
 */
const buildSumStatement = (name: string, rows: string) =>
  statement(
    name,
    `select day::timestamp at time zone 'UTC' as day, currency, brand, kind, debit, credit, platform, site,
       sum(transfers)::text as transfers, sum(amount)::text as amount
     from (
       select ${blankBeforeSql('day')}, currency, ${blankBeforeSql('kind')}, debit, credit, brand, platform, site, transfers, amount
       from (
         select day, currency, kind, debit, credit, ${DIMENSIONS.map((one, i) => `case when $${i + 3}::boolean then ${one} else '' end as ${one}`).join(', ')},
           sum(transfers) as transfers, sum(amount) as amount
         from (${rows}) r
         where ${['currency', ...DIMENSIONS].map((one, i) => `($${i + 6}::text is null or ${one} = $${i + 6})`).join(' and ')}
         group by 1, 2, 3, 4, 5, 6, 7, 8
       ) d
     ) s group by 1, 2, 3, 4, 5, 6, 7, 8 limit ${MAX_SUMS + 1}`,
  )
const SUM_CLOSED_DAYS = buildSumStatement(
  'daily_sum_kept',
  `select day, currency, brand, kind, debit, credit, platform, site, transfers, amount from purser.daily_sum where day < ${daySql('$2')}`,
)
const SUM_OPEN_DAYS = buildSumStatement(
  'daily_sum_open',
  `${TRANSFERS} where t.at >= $10::timestamptz and t.at < $2::timestamptz`,
)
/**
 * The day after the last closed day, else the day of the first player; earlier there was no money.
 */
const FIRST_OPEN_DAY = statement(
  'daily_first_open',
  `select coalesce(
     (select (max(day) + 1)::timestamp at time zone 'UTC' from purser.daily_close),
     (select date_trunc('day', min(created_at), 'UTC') from purser.player)) as day`,
)

/**
 * Postgres estimates as many groups as rows and would sort on disk. A plan per call leaves out the
 * filters that are not used.
 */
const PREFER_HASH_AGGREGATE = statement(
  'daily_by_hash_here',
  "select set_config('enable_sort', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)",
)

type Row = Record<string, unknown> &
  Omit<DailySum, 'day' | 'transfers' | 'amount'> & { day: Date | null; transfers: string; amount: string }

/** Midnight of the first day without stored sums. */
export async function readFirstOpenDay(db: Queryable, now: Date): Promise<Date> {
  const [found] = await db.query<{ day: Date | null }>(FIRST_OPEN_DAY, [])
  return found?.day ?? new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)
}

/** One snapshot; undefined if the result exceeds its limit. */
export function readDailySums(
  db: Pick<Db, 'reportSnapshot'>,
  query: DailySumQuery,
  now: Date,
): Promise<DailySums | undefined> {
  return db.reportSnapshot(async (tx) => {
    const [open] = await Promise.all([readFirstOpenDay(tx, now), tx.query(PREFER_HASH_AGGREGATE)])
    const values = toParameters(query)
    const rows = [
      ...(await tx.query<Row>(SUM_CLOSED_DAYS, values)),
      ...(open < query.to ? await tx.query<Row>(SUM_OPEN_DAYS, [...values, open]) : []),
    ]
    if (rows.length > MAX_SUMS) return undefined
    const sums = rows.map((row) => ({ ...row, transfers: BigInt(row.transfers), amount: BigInt(row.amount) }))
    const isOfDay = (sum: (typeof sums)[number]): sum is typeof sum & { day: Date } => sum.day !== null
    return { before: sums.filter((sum) => !isOfDay(sum)), days: sums.filter(isOfDay), open }
  })
}

function toParameters({ from, to, by, only }: DailySumQuery): unknown[] {
  const chosen = (['currency', ...DIMENSIONS] as const).map((name) => only[name] ?? null)
  return [from, to, ...DIMENSIONS.map((one) => by.includes(one)), ...chosen]
}

/** In hours, because a day of the session's time zone can have 23 or 25. */
const CLOSE_DAY = statement(
  'daily_keep_day',
  `insert into purser.daily_close (day, closed_at) select ($1::timestamptz at time zone 'UTC')::date, $2::timestamptz
   where now() >= $1::timestamptz + interval '25 hours' on conflict (day) do nothing`,
)
const STORE_SUMS = statement(
  'daily_keep_sums',
  `insert into purser.daily_sum (day, currency, brand, kind, debit, credit, platform, site, transfers, amount)
   select day, currency, brand, kind, debit, credit, platform, site, count(*), sum(amount) from (
     ${TRANSFERS} where t.at >= $1::timestamptz and t.at < $1::timestamptz + interval '24 hours'
   ) s group by 1, 2, 3, 4, 5, 6, 7, 8`,
)

/**
 * Closes each day that ended at least an hour ago, also by the database's clock, because wrong sums
 * would stay. Resolves to the number of days. Several processes may run it; each day is closed
 * once.
 *
 * A day gets the time limit of an audit: if it were never closed, each report would sum it again.
 * The number of sums is unlimited, because they stay in the database.
 */
export async function closeDays(db: Pick<Db, 'longTransaction'>, now: Date): Promise<number> {
  for (let days = 0; ; days++) {
    const isClosed = await db.longTransaction(async (tx) => {
      const day = await readFirstOpenDay(tx, now)
      if (day.getTime() + DAY_MS + GRACE_MS > now.getTime()) return false
      const closed = await tx.execute(CLOSE_DAY, [day, now])
      if (closed === 1) await tx.execute(STORE_SUMS, [day])
      return closed === 1
    })
    if (!isClosed) return days
  }
}

/**
 * Metric of the first day whose sums are not stored. Every report sums the transfers from this day
 * on again, so it is slow if this day is old.
 */
export function createDailyCloseMetrics(db: Pick<Db, 'userQueries'>, clock: Clock): MetricSource {
  return createDatabaseMetric('days', async () => {
    const day = await readFirstOpenDay(db.userQueries, clock.now())
    return formatMetric('wallet_first_open_day_timestamp_seconds', 'gauge', HELP, [[{}, day.getTime() / 1_000]])
  })
}

const HELP = 'Midnight (UTC) of the first day whose sums are not kept'
