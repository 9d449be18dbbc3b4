/** The invariants of bets against the ledger: what was done for a bet is exactly what its state says. */
import type { Tx } from '../db/db.ts'
import { type Finding, runChecks } from '../ledger/audit.ts'

/** Per bet, from its transfers: what each account came to. */
const ACTUAL = `
  select bucket, player as owner, bet_id, currency,
    count(*) filter (where kind = 'stake') as stakes,
    count(*) filter (where kind = 'refund') as refunds,
    sum(case when credit = 'player' then amount when debit = 'player' then -amount else 0 end) as to_player,
    sum(case when credit = 'promotions' then amount when debit = 'promotions' then -amount else 0 end) as to_promotions,
    sum(case when credit = 'open_stakes' then amount when debit = 'open_stakes' then -amount else 0 end) as to_open_stakes,
    sum(case when credit = 'house' then amount when debit = 'house' then -amount else 0 end) as to_house
  from purser.transfer where bet_id is not null group by bucket, player, bet_id, currency`

/** Per placed bet, from its state: what each account should have come to. */
const EXPECTED = `
  select bucket, player as owner, bet_id, currency, status,
    case when status in ('open', 'settled') and funder = 'player' then -stake else 0 end
      + case when status = 'settled' and payee = 'player' then payout else 0 end as to_player,
    case when status in ('open', 'settled') and funder = 'promotions' then -stake else 0 end
      + case when status = 'settled' and payee = 'promotions' then payout else 0 end as to_promotions,
    case status when 'open' then stake else 0 end as to_open_stakes,
    case status when 'settled' then stake - payout else 0 end as to_house
  from purser.bet where stake is not null`

const CHECKS = {
  'per bet, the player is off by nothing, minus the stake, or minus the stake plus the last payout; so are the other accounts': `
    select e.owner as player, e.bet_id, e.status, e.to_player as expected, a.to_player as actual
    from (${EXPECTED}) e left join (${ACTUAL}) a using (bucket, owner, bet_id, currency)
    where a.owner is null or (a.to_player, a.to_promotions, a.to_open_stakes, a.to_house)
      is distinct from (e.to_player, e.to_promotions, e.to_open_stakes, e.to_house)`,
  'a bet is staked once and refunded at most once, and refunded only if it is cancelled': `
    select a.owner as player, a.bet_id, a.stakes, a.refunds, b.status
    from (${ACTUAL}) a left join purser.bet b on b.bucket = a.bucket and b.player = a.owner and b.bet_id = a.bet_id
    where b.bet_id is null or a.stakes <> 1 or a.refunds <> case b.status when 'cancelled' then 1 else 0 end`,
  'a bet that was never placed has moved no money': `
    select t.player, t.bet_id, b.status from purser.transfer t
    join purser.bet b on b.bucket = t.bucket and b.player = t.player and b.bet_id = t.bet_id
    where b.stake is null`,
  'the calls of a bet are all recorded': `
    select b.player, b.bet_id, b.calls, count(c.seq) as recorded from purser.bet b
    left join purser.bet_call c on c.bucket = b.bucket and c.player = b.player and c.bet_id = b.bet_id
    group by b.bucket, b.player, b.bet_id, b.calls, b.stake
    having count(c.seq) <> b.calls - case when b.stake is null then 0 else 1 end`,
} as const

/** Checks every bet in the snapshot of `tx`. */
export function auditBets(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, 'bets', CHECKS)
}
