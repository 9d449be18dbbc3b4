/**
 * Invariants of bets against the ledger. They are SQL queries over some bets, with all calls and
 * transfers of these bets.
 */

import { REMEMBERED_REFUSALS } from '@purser/protocol/reply-codes'
import type { InvariantChecks } from '../core/database/invariant-checks.ts'

/**
 * Per bet, the sum of its transfers for each account. Transfers with another platform or site than
 * their bet are excluded (W-43, O-7).
 */
const ACTUAL = `
  select bucket, player as owner, bet_id, currency, platform, site,
    count(*) filter (where kind = 'stake') as stakes,
    count(*) filter (where kind = 'refund') as refunds,
    sum(case when credit = 'player' then amount when debit = 'player' then -amount else 0 end) as to_player,
    sum(case when credit = 'promotions' then amount when debit = 'promotions' then -amount else 0 end) as to_promotions,
    sum(case when credit = 'open_stakes' then amount when debit = 'open_stakes' then -amount else 0 end) as to_open_stakes,
    sum(case when credit = 'house' then amount when debit = 'house' then -amount else 0 end) as to_house
  from purser.transfer where bet_id is not null group by bucket, player, bet_id, currency, platform, site`

/** Per placed bet, the sums that its state requires, less the transfers in files (O-13). */
const EXPECTED = `
  select bucket, player as owner, bet_id, currency, platform, site, status, archived_to_player is not null as is_archived,
    case when status in ('open', 'settled') and funder = 'player' then -stake else 0 end
      + case when status = 'settled' and payee = 'player' then payout else 0 end - coalesce(archived_to_player, 0) as to_player,
    case when status in ('open', 'settled') and funder = 'promotions' then -stake else 0 end
      + case when status = 'settled' and payee = 'promotions' then payout else 0 end - coalesce(archived_to_promotions, 0) as to_promotions,
    case status when 'open' then stake else 0 end - coalesce(archived_to_open_stakes, 0) as to_open_stakes,
    case status when 'settled' then stake - payout else 0 end
      + coalesce(archived_to_player, 0) + coalesce(archived_to_promotions, 0) + coalesce(archived_to_open_stakes, 0) as to_house
  from purser.bet where stake is not null`

/**
 * The bet's row records the accepted Place bet; it is a call only as an anomaly
 * (bet-call-store.ts).
 */
const IS_PLACEMENT = "operation = 'place' and outcome = 'applied'"

/** Per bet, the last applied call, without the accepted Place bet. */
const LAST_APPLIED = `
  select distinct on (bucket, player, bet_id) bucket, player, bet_id, operation from purser.bet_call
  where outcome = 'applied' order by bucket, player, bet_id, seq desc`

/** Bets whose refusal is remembered. */
const REFUSED = `
  select distinct bucket, player, bet_id, true as is_refused from purser.bet_call
  where operation = 'place' and refusal in (${REMEMBERED_REFUSALS.map((refusal) => `'${refusal}'`).join(', ')})`

/** Transfers that the calls name, as in a bet's history. */
const ALL_NAMED = `
  select bucket, player, bet_id, currency, stake_version as version from purser.bet where stake_version is not null
  union all
  select c.bucket, c.player, c.bet_id, b.currency, v.version from purser.bet_call c
    join purser.bet b on b.bucket = c.bucket and b.player = c.player and b.bet_id = c.bet_id
    cross join unnest(c.transfers) as v (version)`

/** Without transfers in files. */
const NAMED = `
  select n.* from (${ALL_NAMED}) n left join purser.carried c using (bucket, player, currency) where n.version > coalesce(c.version, 0)`

export const BET_CHECKS: InvariantChecks = {
  'each bet has changed the balance by 0, by minus the stake, or by minus the stake plus the last payout, with equal changes of the other accounts': `
    select e.owner as player, e.bet_id, e.status, e.to_player as expected, a.to_player as actual
    from (${EXPECTED}) e left join (${ACTUAL}) a using (bucket, owner, bet_id, currency, platform, site)
    where (a.owner is null and not e.is_archived)
      or (coalesce(a.to_player, 0), coalesce(a.to_promotions, 0), coalesce(a.to_open_stakes, 0), coalesce(a.to_house, 0))
        is distinct from (e.to_player, e.to_promotions, e.to_open_stakes, e.to_house)`,
  'a bet is staked once and refunded at most once, and refunded only if it is cancelled': `
    select a.owner as player, a.bet_id, a.stakes, a.refunds, b.status
    from (${ACTUAL}) a left join purser.bet b on b.bucket = a.bucket and b.player = a.owner and b.bet_id = a.bet_id
    where b.bet_id is null or a.stakes <> case when b.archived_to_player is null then 1 else 0 end or a.refunds <> case b.status when 'cancelled' then 1 else 0 end`,
  'a bet that was never placed has moved no money': `
    select t.player, t.bet_id, b.status from purser.transfer t
    join purser.bet b on b.bucket = t.bucket and b.player = t.player and b.bet_id = t.bet_id
    where b.stake is null`,
  'all calls of a bet are recorded': `
    select coalesce(b.player, c.player) as player, coalesce(b.bet_id, c.bet_id) as bet_id, b.calls, c.recorded
    from purser.bet b full join (
      select bucket, player, bet_id, count(*) as recorded from purser.bet_call where not (${IS_PLACEMENT}) group by bucket, player, bet_id
    ) c on c.bucket = b.bucket and c.player = b.player and c.bet_id = b.bet_id
    where b.bet_id is null or coalesce(c.recorded, 0) <> b.calls - case when b.stake is null then 0 else 1 end`,
  'a bet is in the state that its last applied call left': `
    select b.player, b.bet_id, b.status, c.operation as last_applied
    from purser.bet b left join (${LAST_APPLIED}) c using (bucket, player, bet_id) left join (${REFUSED}) r using (bucket, player, bet_id)
    where b.status <> case c.operation when 'settle' then 'settled' when 'unsettle' then 'open' when 'rollback' then 'cancelled'
      else case when b.stake is not null then 'open' when r.is_refused then 'refused' else 'unknown' end end`,
  'every transfer of a bet is named by exactly one of its calls': `
    select coalesce(t.player, n.player) as player, coalesce(t.bet_id, n.bet_id) as bet_id, coalesce(t.version, n.version) as version
    from (select * from purser.transfer where bet_id is not null) t full join (${NAMED}) n
      on n.bucket = t.bucket and n.player = t.player and n.bet_id = t.bet_id and n.currency = t.currency and n.version = t.version
    where t.player is null or n.player is null`,
}
