/**
 * Audit of the stored sums of each day against the transfers of that day, with one snapshot per
 * day.
 */

import { type Db, type Row, statement } from '../../core/database/db.ts'
import type { Findings } from '../../core/database/invariant-checks.ts'

export const DAILY_CHECKS = {
  sums: 'the stored sums of a day equal the sums of its transfers',
  order: 'the days whose sums are kept follow each other',
} as const

/** Each day from $1 on that is closed or has sums. */
const DAYS = statement(
  'audit_days',
  `select day::text as day from (select day from purser.daily_close union select day from purser.daily_sum) d
   where day >= $1::date order by day`,
)
const ORDER = statement(
  'audit_order_of_days',
  'select day::text as day from (select day, lag(day) over (order by day) as before from purser.daily_close) d where day <> before + 1',
)
/**
 * Days after $1 up to $2. Transfers are found by time, through an index. Sums are reduced by the
 * transfers in files (O-13).
 */
const SUMS = statement(
  'audit_sums_of_days',
  `select coalesce(t.day, s.day)::text as day, coalesce(t.currency, s.currency) as currency, coalesce(t.brand, s.brand) as brand,
     coalesce(t.platform, s.platform) as platform, coalesce(t.site, s.site) as site, coalesce(t.kind, s.kind) as kind,
     s.amount as kept, t.amount as actual, s.transfers as kept_transfers, t.transfers as actual_transfers
   from (
     select (t.at at time zone 'UTC')::date as day, t.currency, coalesce(p.brand, '') as brand, t.kind, t.debit, t.credit, t.platform, t.site,
       count(*) as transfers, sum(t.amount) as amount
     from purser.transfer t left join purser.player p on p.bucket = t.bucket and p.player = t.player
     where t.at >= ($1::date + 1)::timestamp at time zone 'UTC' and t.at < ($2::date + 1)::timestamp at time zone 'UTC'
       and (t.at at time zone 'UTC')::date <= (select max(day) from purser.daily_close) group by 1, 2, 3, 4, 5, 6, 7, 8
   ) t full join (
     select day, currency, brand, kind, debit, credit, platform, site, sum(transfers) as transfers, sum(amount) as amount from (
       select * from purser.daily_sum union all
       select day, currency, brand, kind, debit, credit, -transfers, -amount, platform, site from purser.archived_sum
     ) k where day > $1::date and day <= $2::date group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(transfers) <> 0 or sum(amount) <> 0
   ) s
     using (day, currency, brand, kind, debit, credit, platform, site)
   where (t.transfers, t.amount) is distinct from (s.transfers, s.amount)`,
)

const LAST_CLOSED_DAY = statement('audit_last_kept_day', 'select max(day)::text as day from purser.daily_close')

/** YYYY-MM-DD; null if no day is closed. */
export async function readLastClosedDay(db: Pick<Db, 'snapshot'>): Promise<string | null> {
  const [row] = await db.snapshot((tx) => tx.query<{ day: string | null }>(LAST_CLOSED_DAY))
  return row?.day ?? null
}

/**
 * Checks the days from the date `since` on, or all. `pause` receives the number of checked days and
 * their total.
 */
export async function auditDays(
  db: Pick<Db, 'snapshot'>,
  findings: Findings,
  since: string | undefined,
  pause: (done: number, of: number) => Promise<void>,
): Promise<void> {
  for (const row of await db.snapshot((tx) => tx.query(ORDER))) findings.add(DAILY_CHECKS.order, row)
  const days = await db.snapshot((tx) => tx.query<{ day: string }>(DAYS, [since ?? '-infinity']))
  let before = since === undefined ? '-infinity' : undefined
  for (const [place, { day }] of days.entries()) {
    const from = before ?? previousDay(day)
    for (const row of await db.snapshot((tx) => tx.query<Row>(SUMS, [from, day]))) findings.add(DAILY_CHECKS.sums, row)
    before = day
    await pause(place + 1, days.length)
  }
}

function previousDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}
