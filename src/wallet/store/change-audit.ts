/** The feed against the ledger: whoever follows it has the balances that the accounts have. */
import { type Finding, runChecks } from '../../db/checks.ts'
import type { Tx } from '../../db/db.ts'
import { feedChecks } from '../../feed/audit.ts'

/** Every event that tells a balance, from the items as change.ts writes them. `is_second`: behind the event of the bet. */
const TOLD = `
  select bucket, change_id, t.* from purser.change
  cross join json_array_elements(events) as e (item)
  cross join lateral (
    select item ->> 1 as player, item ->> 2 as currency, (item ->> 3)::numeric as change, (item ->> 4)::numeric as balance, (item ->> 5)::bigint as version, false as is_second
      where item ->> 0 = 'balance.changed'
    union all
    select item ->> 1, item ->> 4, (item ->> 7)::numeric, (item ->> 8)::numeric, (item ->> 9)::bigint, true
      where item ->> 0 like 'bet.%' and item ->> 7 is not null
    union all
    select player, currency, case when item ->> 1 = 'bet.placed' then -amount::numeric else amount::numeric end, balance::numeric, version::bigint, true
      from rows from (
        json_array_elements_text(${column(2)}), json_array_elements_text(${column(5)}), json_array_elements_text(${column(6)}),
        json_array_elements_text(${column(8)}), json_array_elements_text(${column(9)})
      ) as c (player, currency, amount, balance, version)
      where item ->> 0 = 'taken' and amount <> '0'
  ) t`

/** Of what the gate took. */
function column(place: number): string {
  return `case when item ->> 0 = 'taken' then item -> ${place} end`
}

/** Events but those. */
const EVENTS = `
  select coalesce(sum(case when item ->> 0 = 'taken' then json_array_length(item -> 2) else 1 end), 0)
  from json_array_elements(events) as e (item)`

const CHECKS = {
  ...feedChecks('purser'),
  'a row of the feed has as many events as it says': `
    select c.change_id, c.size from purser.change c
    left join (select bucket, change_id, count(*) filter (where is_second) as balances from (${TOLD}) t group by bucket, change_id) t using (bucket, change_id)
    where c.size <> (${EVENTS}) + coalesce(t.balances, 0)`,
  'each balance in the feed follows from the one before it': `
    select player, currency, version, balance, before, change from (
      select *, lag(balance) over w as before, lag(change_id) over w as earlier from (${TOLD}) t
      window w as (partition by bucket, player, currency order by version)
    ) t where before + change <> balance or earlier > change_id`,
  'the last balance in the feed is that of the account': `
    select t.player, t.currency, t.balance as told, a.balance from (
      select distinct on (bucket, player, currency) * from (${TOLD}) t order by bucket, player, currency, version desc
    ) t join purser.account a on a.bucket = t.bucket and a.player = t.player and a.currency = t.currency
    where a.balance <> t.balance`,
} as const

export function auditChanges(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, 'changes', CHECKS)
}
