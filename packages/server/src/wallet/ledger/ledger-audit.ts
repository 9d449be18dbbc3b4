/**
 * Invariants of the ledger as SQL queries over the rows of some accounts. Each query returns the
 * rows that violate its invariant.
 *
 * The rows contain all transfers of an account, or only the last ones after a base transfer. The
 * audit trusts a base transfer (`is_base`), and a carried balance in place of archived transfers
 * (carried-balance.ts).
 */
import type { InvariantChecks } from '../../core/database/invariant-checks.ts'

const EFFECT = "case when credit = 'player' then amount when debit = 'player' then -amount else 0 end"

const CHECKS = {
  'transfers are balanced: in each currency the stored balances and the summed accounts add up to zero': `
    select currency, sum(amount) as total from (
      select currency, balance as amount from purser.account
      union all select currency, -balance_after from purser.transfer where is_base
      union all select currency, -amount from purser.transfer where debit <> 'player' and not is_base
      union all select currency, amount from purser.transfer where credit <> 'player' and not is_base
    ) entries group by currency having sum(amount) <> 0`,
  'a balance is the sum of its transfers': `
    select a.player, a.currency, a.balance, coalesce(t.total, 0) as total
    from purser.account a left join (
      select bucket, player, currency, sum(case when is_base then balance_after else ${EFFECT} end) as total
      from purser.transfer group by bucket, player, currency
    ) t using (bucket, player, currency)
    where a.balance <> coalesce(t.total, 0)`,
  'a balance is what its last transfer left, and its version is that transfer': `
    select a.player, a.currency, a.balance, a.version, t.balance_after, t.version as last_version
    from purser.account a left join (
      select distinct on (bucket, player, currency) bucket, player, currency, version, balance_after
      from purser.transfer order by bucket, player, currency, version desc
    ) t using (bucket, player, currency)
    where a.version <> coalesce(t.version, 0) or a.balance <> coalesce(t.balance_after, 0)`,
  'versions follow each other without gaps, each balance from the one before': `
    select player, currency, version, balance_after from (
      select *, coalesce(lag(version) over w, 0) + 1 as expected_version, coalesce(lag(balance_after) over w, 0) + ${EFFECT} as expected_balance
      from purser.transfer window w as (partition by bucket, player, currency order by version)
    ) t where not is_base and (version <> expected_version or balance_after <> expected_balance)`,
  'every transfer has its account': `
    select t.player, t.currency, t.version from purser.transfer t
    left join purser.account a using (bucket, player, currency) where a.player is null`,
  'the opening version is the last transfer before the day of the account': `
    select a.player, a.currency, a.day, a.opening_version from purser.account a join (
      select t.bucket, t.player, t.currency, min(t.version) as first, max(t.version) filter (where (t.at at time zone 'UTC')::date < a.day) as last_before
      from purser.transfer t join purser.account a using (bucket, player, currency) group by 1, 2, 3
    ) t using (bucket, player, currency)
    where case when t.last_before is null then a.opening_version >= t.first else a.opening_version <> t.last_before end`,
  'a transfer moves money between the accounts of its kind': `
    select player, currency, version, kind, debit, credit from purser.transfer where not is_base and not case kind
      when 'stake' then debit in ('player', 'promotions') and credit = 'open_stakes'
      when 'refund' then debit = 'open_stakes' and credit in ('player', 'promotions')
      when 'stake_closed' then debit = 'open_stakes' and credit = 'house'
      when 'stake_reopened' then debit = 'house' and credit = 'open_stakes'
      when 'payout' then debit = 'house' and credit in ('player', 'promotions')
      when 'payout_reversal' then debit in ('player', 'promotions') and credit = 'house'
      when 'deposit' then debit = 'cash_in' and credit = 'player'
      when 'withdrawal' then debit = 'player' and credit = 'cash_out'
      when 'adjustment' then (debit, credit) in (('adjustments', 'player'), ('player', 'adjustments'))
      when 'opening' then debit = 'openings' and credit = 'player'
      else false end`,
  'each deposit, withdrawal, adjustment and opening balance has exactly its transfer': `
    select coalesce(m.player, t.player) as player, coalesce(m.reference, t.reference) as reference
    from (
      select m.* from purser.cash_movement m left join purser.carried c using (bucket, player, currency) where m.version > coalesce(c.version, 0)
    ) m full join (select * from purser.transfer where not is_base and kind in ('deposit', 'withdrawal', 'adjustment', 'opening')) t
      on t.bucket = m.bucket and t.player = m.player and t.currency = m.currency and t.version = m.version
        and t.reference = m.reference and t.kind = m.kind and t.balance_after = m.balance_after
        and m.amount = case when t.kind = 'adjustment' and t.debit = 'player' then -t.amount else t.amount end
    where m.player is null or t.player is null`,
} as const

const NEGATIVE = {
  'no balance is below zero': 'select player, currency, balance from purser.account where balance < 0',
}

/** A balance below zero is a finding unless the policy allows it (L-2). */
export function ledgerChecks(allowNegative: boolean): InvariantChecks {
  return { ...CHECKS, ...(!allowNegative && NEGATIVE) }
}
