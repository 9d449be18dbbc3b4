/** What the transfers of each day (UTC) come to. The sums of a day that is over are kept; those of the days since are made when they are asked for. */
import { type Db, type Reading, statement, type Tx } from '../db/db.ts'
import { type Members, rowsOf } from '../db/rows.ts'
import type { Currency } from '../protocol/ids.ts'
import type { AccountName, TransferKind } from './posting.ts'

export const DAY_MS = 86_400_000
/** Milliseconds after a day's end until its sums are kept: the clocks of two processes may differ by less. */
const GRACE_MS = 3_600_000

/** Sums that one reading answers: a process reads them while it answers calls. */
export const MAX_SUMS = 20_000
/** Sums that a process takes into its memory at once. */
const MOST_SUMS = 100_000

/** As a platform makes them that names a site of its own with each bet: neither are such days kept, nor are they reported. */
export class TooManySums extends Error {
  constructor() {
    super(`more than ${MOST_SUMS} sums by currency, brand, platform and site: is a subPartnerId sent that is no site?`)
  }
}

/** Transfers of one kind between two accounts, of the players of one brand and the bets of one platform and site, '' for none. */
export interface TransferSum {
  readonly currency: string
  readonly brand: string
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly platform: string
  readonly site: string
  readonly transfers: bigint
  /** In minor units; more than one account can hold. */
  readonly amount: bigint
}

export interface DailySum extends TransferSum {
  /** Midnight, when the day begins. */
  readonly day: Date
  readonly currency: Currency
  readonly kind: TransferKind
  readonly debit: AccountName
  readonly credit: AccountName
}

type Sums = readonly Omit<DailySum, 'day'>[]

export interface DailySums {
  /** Of all days before, together. */
  readonly before: Sums
  readonly days: readonly DailySum[]
  /** The first day that is not kept, midnight. */
  readonly open: Date
}

const MEASURES = 'transfers::text as transfers, amount::text as amount'
const OF_TRANSFERS = `select date_trunc('day', t.at, 'UTC') as day, t.currency, coalesce(p.brand, '') as brand, t.kind, t.debit, t.credit, t.platform, t.site,
    count(*)::text as transfers, sum(t.amount)::text as amount
  from purser.transfer t left join purser.player p on p.bucket = t.bucket and p.player = t.player
  where t.at >= $1::timestamptz and t.at < $2::timestamptz group by 1, 2, 3, 4, 5, 6, 7, 8 limit ${MOST_SUMS + 1}`

const SUM_TRANSFERS = statement('daily_sum_transfers', OF_TRANSFERS)
const READ_KEPT = statement(
  'daily_read_kept',
  `select day::timestamp at time zone 'UTC' as day, currency, brand, kind, debit, credit, platform, site, ${MEASURES} from purser.daily_sum
   where day >= ($1::timestamptz at time zone 'UTC')::date and day < ($2::timestamptz at time zone 'UTC')::date limit ${MAX_SUMS + 1}`,
)
const SUM_KEPT = statement(
  'daily_sum_kept',
  `select currency, brand, kind, debit, credit, platform, site, ${MEASURES} from (
     select currency, brand, kind, debit, credit, platform, site, sum(transfers) as transfers, sum(amount) as amount from purser.daily_sum
     where day < ($1::timestamptz at time zone 'UTC')::date group by 1, 2, 3, 4, 5, 6, 7 limit ${MOST_SUMS + 1}
   ) s`,
)
/** The day after the last one that is kept; else that of the first player, before whom there was no money. */
const FIRST_OPEN = statement(
  'daily_first_open',
  `select coalesce(
     (select (max(day) + 1)::timestamp at time zone 'UTC' from purser.daily_close),
     (select date_trunc('day', min(created_at), 'UTC') from purser.player)) as day`,
)

type Row = Record<string, unknown> & Omit<DailySum, 'transfers' | 'amount'> & { transfers: string; amount: string }

function toSums(rows: readonly Row[]): DailySum[] {
  if (rows.length > MOST_SUMS) throw new TooManySums()
  return rows.map((row) => ({ ...row, transfers: BigInt(row.transfers), amount: BigInt(row.amount) }))
}

async function readSums(tx: Tx, query: typeof SUM_TRANSFERS, from: Date, to: Date): Promise<DailySum[]> {
  return from < to ? toSums(await tx.query<Row>(query, [from, to])) : []
}

/** The first day whose sums are not kept, midnight. */
export async function firstOpen(db: Reading, now: Date): Promise<Date> {
  const [found] = await db.query<{ day: Date | null }>(FIRST_OPEN, [])
  return found?.day ?? new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)
}

/** The sums of the days from `from` on, before `to`, both midnight, in one snapshot. */
export function readDailySums(db: Pick<Db, 'sums'>, from: Date, to: Date, now: Date): Promise<DailySums> {
  return db.sums(async (tx) => {
    const open = await firstOpen(tx, now)
    const kept = await readSums(tx, READ_KEPT, from, to)
    const made = await readSums(tx, SUM_TRANSFERS, open, to)
    const keptBefore = toSums(await tx.query<Row>(SUM_KEPT, [from]))
    return {
      before: [...keptBefore, ...made.filter(({ day }) => day < from)],
      days: [...kept, ...made.filter(({ day }) => day >= from)],
      open,
    }
  })
}

const KEEP_DAY = statement(
  'daily_keep_day',
  `insert into purser.daily_close (day, kept_at) select ($1::timestamptz at time zone 'UTC')::date, $2::timestamptz
   where now() >= $1::timestamptz + interval '1 day 1 hour' on conflict (day) do nothing`,
)
/** All but the day. */
export const SUM_ROWS = {
  currency: ['text', (sum) => sum.currency],
  brand: ['text', (sum) => sum.brand],
  kind: ['text', (sum) => sum.kind],
  debit: ['text', (sum) => sum.debit],
  credit: ['text', (sum) => sum.credit],
  platform: ['text', (sum) => sum.platform],
  site: ['text', (sum) => sum.site],
  transfers: ['bigint', (sum) => sum.transfers],
  amount: ['numeric', (sum) => sum.amount],
} as const satisfies Members<TransferSum>
const SUMS = rowsOf<TransferSum>(2, SUM_ROWS)
const KEEP_SUMS = statement(
  'daily_keep_sums',
  `insert into purser.daily_sum (day, ${SUMS.columns})
   select ($1::timestamptz at time zone 'UTC')::date, ${SUMS.columns} from ${SUMS.from} s`,
)

/**
 * Keeps the sums of every day that is over for an hour, by the database's clock too: what is kept too early stays wrong. Resolves to the
 * number of days. Two processes may do it at the same time: a day is kept once. It has all the time that a day needs, as an audit: a day that
 * were never kept would be summed again by every report.
 */
export async function keepDays(db: Pick<Db, 'snapshot' | 'transaction'>, now: Date): Promise<number> {
  for (let days = 0; ; days++) {
    const next = await db.snapshot(async (tx) => {
      const day = await firstOpen(tx, now)
      const end = new Date(day.getTime() + DAY_MS)
      const isOver = end.getTime() + GRACE_MS <= now.getTime()
      return isOver ? { day, sums: await readSums(tx, SUM_TRANSFERS, day, end) } : undefined
    })
    if (next === undefined) return days
    const { day, sums } = next
    const isKept = await db.transaction(async (tx) => {
      const closed = await tx.execute(KEEP_DAY, [day, now])
      if (closed === 1) await tx.execute(KEEP_SUMS, [day, ...SUMS.values(sums)])
      return closed === 1
    })
    if (!isKept) return days
  }
}
