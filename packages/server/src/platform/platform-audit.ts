/**
 * Audit of the platform's invariants in SQL, over all stored data. Bets are compared with their
 * deliveries in slices of bets, and the running totals (exposure-totals.ts) with the bets in slices
 * of events. Each slice has its own snapshot with all rows that its checks compare.
 */

import { visitFeed } from '../core/change-feed/feed-audit.ts'
import { AUDIT_CHUNK_SETTINGS, type Db, type Statement, statement, type Tx } from '../core/database/db.ts'
import {
  composeChecks,
  type Finding,
  Findings,
  type InvariantChecks,
  runChecks,
} from '../core/database/invariant-checks.ts'
import { PLATFORM_CHANGES } from './store/platform-change-feed.ts'

/** Expected `acknowledged_status`; null if the partner need not know the bet. */
const DECIDED =
  "case status when 'accepted' then 'open' when 'settled' then 'settled' when 'cancelled' then 'cancelled' end"

/** The last acknowledged delivery of each bet. */
const ACKNOWLEDGED = `
  select distinct on (bet_id) bet_id, payout, result_type,
    case operation when 'settle' then 'settled' when 'rollback' then 'cancelled' else 'open' end as status
  from platform.delivery where status = 'done' order by bet_id, number desc`

/**
 * Each event and outcome of the bets that limits 110 to 112 count (exposure-totals.ts). The win is
 * rounded as in odds.ts.
 */
const COUNTED = `
  select distinct s.event_id, s.outcome_id, b.currency, b.bet_id, b.stake,
    trunc(b.stake * trunc(b.coefficient::numeric * coalesce(b.booster, '1')::numeric, 6)) as win
  from platform.selection s join platform.bet b using (bet_id) where b.status in ('accepted', 'settled')`

/** Its findings are owed decisions, not faults (C-9). */
export const OWED_CHECK =
  'each decision of the platform is acknowledged, or pending, or marked as needing attention (C-9)'

const BET_CHECKS: InvariantChecks = {
  [OWED_CHECK]: `
    select b.bet_id, b.status, b.payout, b.result_type, b.acknowledged_status, b.acknowledged_payout, b.acknowledged_result_type,
      d.delivery_id, d.operation, d.status as delivery, d.code
    from platform.bet b left join platform.delivery d on d.bet_id = b.bet_id and d.number = b.deliveries
    where b.status <> 'placing' and (${DECIDED.replace('status', 'b.status')}, b.payout, b.result_type)
      is distinct from (b.acknowledged_status, b.acknowledged_payout, b.acknowledged_result_type)
      and not exists (select from platform.delivery w where w.bet_id = b.bet_id and w.status in ('waiting', 'pending'))`,
  'the recorded state of the partner is its last acknowledgement': `
    select b.bet_id, b.acknowledged_status, b.acknowledged_payout, b.acknowledged_result_type, a.status, a.payout, a.result_type
    from platform.bet b left join (${ACKNOWLEDGED}) a using (bet_id)
    where (b.acknowledged_status, b.acknowledged_payout, b.acknowledged_result_type) is distinct from (a.status, a.payout, a.result_type)`,
  'the last delivery of a bet has the last decision; a rejected cashout is withdrawn (C-8)': `
    select b.bet_id, b.status, b.payout, b.result_type, d.operation, d.status as delivery, d.payout as sent_payout, d.result_type as sent_type
    from platform.bet b left join platform.delivery d on d.bet_id = b.bet_id and d.number = b.deliveries
    where not coalesce(case b.status
      when 'placing' then d.operation = 'place' and d.status = 'pending'
      when 'declined' then b.deliveries = 0 or d.operation = 'place'
      when 'accepted' then d.operation in ('place', 'unsettle') or (d.result_type = 'cashout' and d.status = 'refused')
      when 'settled' then d.operation = 'settle' and d.payout = b.payout and d.result_type = b.result_type
      when 'cancelled' then d.operation = 'rollback' end, b.status = 'declined' and b.deliveries = 0)`,
  'the deliveries of a bet are numbered from 1 without gaps': `
    select coalesce(b.bet_id, d.bet_id) as bet_id, b.deliveries, d.found, d.first, d.last
    from platform.bet b full join (
      select bet_id, count(*) as found, min(number) as first, max(number) as last from platform.delivery group by bet_id
    ) d using (bet_id)
    where b.bet_id is null or (b.deliveries <> 0 or d.bet_id is not null)
      and (d.found, d.first, d.last) is distinct from (b.deliveries::bigint, 1, b.deliveries)`,
  'a delivery waits only for an earlier open delivery, and only the first open one is sent (C-6)': `
    select bet_id, number, operation, status from (
      select *, min(number) filter (where status in ('pending', 'stuck')) over (partition by bet_id) as first_not_over from platform.delivery
    ) d where status in ('waiting', 'pending', 'stuck') and (status = 'waiting') <> coalesce(first_not_over < number, false)`,
  'each delivery that is sent or can be retried has its message, because it cannot be claimed without one': `
    select d.bet_id, d.delivery_id, d.number, d.operation, d.status from platform.delivery d
    where d.operation <> 'place' and d.status <> 'done' and not exists (select from platform.message m where m.delivery_id = d.delivery_id)`,
  'exactly the deliveries that need attention are marked: stuck, rejected as the last of the bet, or retried (C-9, W-48)': `
    select d.bet_id, d.number, d.operation, d.status, d.owed_since from platform.delivery d join platform.bet b using (bet_id)
    where d.status <> 'pending' and (d.owed_since is not null) <> (d.status = 'stuck' or (d.status = 'refused' and d.operation <> 'place'
      and d.result_type is distinct from 'cashout' and d.number = b.deliveries))`,
  'all selections of a bet are stored': `
    select b.bet_id, b.ticket_type, count(s.bet_id) as selections
    from platform.bet b left join platform.selection s using (bet_id) group by b.bet_id, b.ticket_type
    having count(s.bet_id) = 0 or (b.ticket_type = 'single') <> (count(s.bet_id) = 1)`,
  'every amount has the scale of its currency on record (M-5)': `
    select b.currency, count(*) as bets from platform.bet b
    where not exists (select from platform.currency c where c.currency = b.currency) group by b.currency`,
  'the recorded payouts of a partner and currency equal the acknowledged ones': `
    select b.partner_id, b.currency, coalesce(sum(b.acknowledged_payout), 0) as recorded, coalesce(sum(a.payout), 0) as acknowledged
    from platform.bet b left join (${ACKNOWLEDGED}) a using (bet_id)
    group by b.partner_id, b.currency having coalesce(sum(b.acknowledged_payout), 0) <> coalesce(sum(a.payout), 0)`,
}

const TOTAL_CHECKS: InvariantChecks = {
  'the totals on an outcome equal the sums of its bets (110, 111)': `
    select event_id, outcome_id, currency, t.stake, t.win, c.stake as counted_stake, c.win as counted_win
    from platform.outcome_total t full join (
      select event_id, outcome_id, currency, sum(stake) as stake, sum(win) as win from (${COUNTED}) b group by event_id, outcome_id, currency
    ) c using (event_id, outcome_id, currency)
    where (coalesce(t.stake, 0), coalesce(t.win, 0)) <> (coalesce(c.stake, 0), coalesce(c.win, 0))`,
  'the recorded number of bets on an event equals the number of its bets (112)': `
    select event_id, t.bets, c.bets as counted
    from platform.event_total t full join (
      select event_id, count(distinct bet_id) as bets from (${COUNTED}) b group by event_id
    ) c using (event_id)
    where coalesce(t.bets, 0) <> coalesce(c.bets, 0)`,
}

/**
 * Bets in a slice of bets. A slice of events has about as many bets, and at most `EVENTS` events.
 */
const BETS = 20_000
const EVENTS = 1_000

const OF_BETS = 'bet_id > $1::uuid and ($2::uuid is null or bet_id <= $2::uuid)'
const OF_EVENTS = 'event_id > $1::text and ($2::text is null or event_id <= $2::text)'

interface AuditSlices {
  /** For progress messages. */
  readonly label: string
  readonly checks: InvariantChecks
  readonly query: Statement
  /** Last key of the slice after $1; null for the last slice. */
  readonly bound: Statement
  /** Sorts before every key. */
  readonly first: string
}

const SLICES: readonly AuditSlices[] = [
  {
    label: "slices of the platform's bets",
    checks: BET_CHECKS,
    query: composeChecks(
      'platform_audit_bets',
      `bet as materialized (select * from platform.bet where ${OF_BETS}),
       delivery as materialized (select * from platform.delivery where ${OF_BETS}),
       message as materialized (
         select m.delivery_id from delivery d
         cross join lateral (select delivery_id from platform.message m where m.delivery_id = d.delivery_id offset 0) m
         where d.status <> 'done'
       ),
       selection as materialized (select * from platform.selection where ${OF_BETS})`,
      BET_CHECKS,
    ),
    bound: statement(
      'platform_audit_bound_of_bets',
      `select (select bet_id from platform.bet where bet_id > $1::uuid order by bet_id offset ${BETS - 1} limit 1)::text as bound`,
    ),
    first: '00000000-0000-0000-0000-000000000000',
  },
  {
    label: "slices of the platform's events",
    checks: TOTAL_CHECKS,
    query: composeChecks(
      'platform_audit_totals',
      `selection as materialized (select * from platform.selection where ${OF_EVENTS}),
       bet as materialized (
         select b.* from (select distinct bet_id from selection) s
         cross join lateral (select * from platform.bet b where b.bet_id = s.bet_id offset 0) b
       ),
       outcome_total as materialized (select * from platform.outcome_total where ${OF_EVENTS}),
       event_total as materialized (select * from platform.event_total where ${OF_EVENTS})`,
      TOTAL_CHECKS,
    ),
    bound: statement(
      'platform_audit_bound_of_events',
      `select max(event_id) as bound from (
         select event_id, sum(bets) over (order by event_id) - bets as before
         from (select event_id, bets from platform.event_total where event_id > $1::text order by event_id limit ${EVENTS}) e
       ) e where before < ${BETS}`,
    ),
    first: '',
  },
]

/** Undefined if the role may not read the platform's tables, for example the role of a wallet. */
export async function auditPlatform(
  db: Pick<Db, 'snapshot'>,
  progress: (label: string, done: number) => void = () => {},
): Promise<readonly Finding[] | undefined> {
  if (!(await db.snapshot(mayRead))) return undefined
  const findings = new Findings()
  for (const slices of SLICES) await auditSlices(db, slices, findings, progress)
  await visitFeed(
    { db, store: PLATFORM_CHANGES, after: undefined, findings },
    { visit() {}, reset() {}, async end() {}, async pause() {} },
  )
  return findings.all
}

async function auditSlices(
  db: Pick<Db, 'snapshot'>,
  slices: AuditSlices,
  findings: Findings,
  progress: (label: string, done: number) => void,
): Promise<void> {
  let done = 0
  for (let after: string | null = slices.first; after !== null; ) {
    const from: string = after
    after = await db.snapshot(async (tx) => {
      const [{ bound = null } = {}] = await tx.query<{ bound: string | null }>(slices.bound, [from])
      await tx.query(AUDIT_CHUNK_SETTINGS)
      await runChecks(tx, slices.query, [from, bound], slices.checks, findings)
      return bound
    })
    progress(slices.label, ++done)
  }
}

const MAY_READ = statement(
  'platform_audit_may_read',
  `select coalesce(bool_and(has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')), false) as may
   from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'platform' and c.relname in ('bet', 'delivery', 'message', 'selection', 'currency', 'outcome_total', 'event_total', 'change', 'feed_counter')`,
)

async function mayRead(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ may: boolean }>(MAY_READ)
  return row?.may === true
}
