/** The platform's invariants, checked in SQL over everything that is stored: bets against the deliveries that tell of them. */
import { type Finding, runChecks } from '../db/checks.ts'
import { type Db, statement, type Tx } from '../db/db.ts'
import { feedChecks } from '../feed/audit.ts'

/** As `told_status` has it; null of a bet of which the partner need know nothing. */
const DECIDED =
  "case status when 'accepted' then 'open' when 'settled' then 'settled' when 'cancelled' then 'cancelled' end"

/** Of each bet, the delivery that the partner acknowledged last, as `told_status` has it. */
const ACKNOWLEDGED = `
  select distinct on (bet_id) bet_id, payout, result_type,
    case operation when 'settle' then 'settled' when 'rollback' then 'cancelled' else 'open' end as status
  from platform.delivery where status = 'done' order by bet_id, number desc`

/** Each event and outcome of each bet that limits 110 to 112 count, once (totals.ts); the win rounded as odds.ts does. */
const COUNTED = `
  select distinct s.event_id, s.outcome_id, b.currency, b.bet_id, b.stake,
    trunc(b.stake * trunc(b.coefficient::numeric * coalesce(b.booster, '1')::numeric, 6)) as win
  from platform.selection s join platform.bet b using (bet_id) where b.status in ('accepted', 'settled')`

const CHECKS = {
  ...feedChecks('platform'),
  'what the platform decided has been told, when nothing waits: else it is owed (C-9)': `
    select b.bet_id, b.status, b.payout, b.result_type, b.told_status, b.told_payout, b.told_result_type,
      d.delivery_id, d.operation, d.status as delivery, d.code
    from platform.bet b left join platform.delivery d on d.bet_id = b.bet_id and d.number = b.deliveries
    where b.status <> 'placing' and (${DECIDED.replace('status', 'b.status')}, b.payout, b.result_type)
      is distinct from (b.told_status, b.told_payout, b.told_result_type)
      and not exists (select from platform.delivery w where w.bet_id = b.bet_id and w.status in ('waiting', 'pending'))`,
  'what counts as told is what the partner acknowledged last': `
    select b.bet_id, b.told_status, b.told_payout, b.told_result_type, a.status, a.payout, a.result_type
    from platform.bet b left join (${ACKNOWLEDGED}) a using (bet_id)
    where (b.told_status, b.told_payout, b.told_result_type) is distinct from (a.status, a.payout, a.result_type)`,
  'the last delivery of a bet tells what was decided; a refused cashout took itself back (C-8)': `
    select b.bet_id, b.status, b.payout, b.result_type, d.operation, d.status as delivery, d.payout as told, d.result_type as told_type
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
  'nothing waits without an earlier delivery that is not over, and only the first that is not over is sent (C-6)': `
    select d.bet_id, d.number, d.operation, d.status from platform.delivery d
    where d.status in ('waiting', 'pending', 'stuck') and (d.status = 'waiting') <> exists (
      select from platform.delivery e where e.bet_id = d.bet_id and e.number < d.number and e.status in ('pending', 'stuck'))`,
  'what needs a person is marked, and nothing else: stuck, refused as the last of its bet, or tried again after a 400 (C-9)': `
    select d.bet_id, d.number, d.operation, d.status, d.owed_since from platform.delivery d join platform.bet b using (bet_id)
    where d.status <> 'pending' and (d.owed_since is not null) <> (d.status = 'stuck' or (d.status = 'refused' and d.operation <> 'place'
      and d.result_type is distinct from 'cashout' and d.number = b.deliveries))`,
  'the selections of a bet are all there': `
    select b.bet_id, b.ticket_type, count(s.bet_id) as selections
    from platform.bet b left join platform.selection s using (bet_id) group by b.bet_id
    having count(s.bet_id) = 0 or (b.ticket_type = 'single') <> (count(s.bet_id) = 1)`,
  'the totals on an outcome are those of its bets (110, 111)': `
    select event_id, outcome_id, currency, t.stake, t.win, c.stake as counted_stake, c.win as counted_win
    from platform.outcome_total t full join (
      select event_id, outcome_id, currency, sum(stake) as stake, sum(win) as win from (${COUNTED}) b group by event_id, outcome_id, currency
    ) c using (event_id, outcome_id, currency)
    where (coalesce(t.stake, 0), coalesce(t.win, 0)) <> (coalesce(c.stake, 0), coalesce(c.win, 0))`,
  'the number of bets on an event is that of its bets (112)': `
    select event_id, t.bets, c.bets as counted
    from platform.event_total t full join (
      select event_id, count(distinct bet_id) as bets from (${COUNTED}) b group by event_id
    ) c using (event_id)
    where coalesce(t.bets, 0) <> coalesce(c.bets, 0)`,
  'every amount has the scale of its currency on record (M-5)': `
    select b.currency, count(*) as bets from platform.bet b
    where not exists (select from platform.currency c where c.currency = b.currency) group by b.currency`,
  'per partner and currency, the payouts told come to those acknowledged': `
    select b.partner_id, b.currency, coalesce(sum(b.told_payout), 0) as told, coalesce(sum(a.payout), 0) as acknowledged
    from platform.bet b left join (${ACKNOWLEDGED}) a using (bet_id)
    group by b.partner_id, b.currency having coalesce(sum(b.told_payout), 0) <> coalesce(sum(a.payout), 0)`,
} as const

/** Undefined where the role may not look: a wallet's has no business in the platform's tables. */
export function auditPlatform(db: Pick<Db, 'snapshot'>): Promise<Finding[] | undefined> {
  return db.snapshot(async (tx) => ((await mayRead(tx)) ? runChecks(tx, 'platform', CHECKS) : undefined))
}

const MAY_READ = statement(
  'platform_audit_may_read',
  `select coalesce(bool_and(has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')), false) as may
   from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'platform' and c.relname in ('bet', 'delivery', 'selection', 'currency', 'outcome_total', 'event_total', 'change', 'change_count')`,
)

async function mayRead(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ may: boolean }>(MAY_READ)
  return row?.may === true
}
