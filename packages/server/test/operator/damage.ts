/** Lists the checks of the audit, and ways to damage a database so that each check fails. */
export const CHECKS = {
  balanced: 'transfers are balanced: in each currency the stored balances and the summed accounts add up to zero',
  sum: 'a balance is the sum of its transfers',
  last: 'a balance is what its last transfer left, and its version is that transfer',
  chain: 'versions follow each other without gaps, each balance from the one before',
  account: 'every transfer has its account',
  opening: 'the opening version is the last transfer before the day of the account',
  kinds: 'a transfer moves money between the accounts of its kind',
  cash: 'each deposit, withdrawal, adjustment and opening balance has exactly its transfer',
  kept: 'the stored sums of a day equal the sums of its transfers',
  days: 'the days whose sums are kept follow each other',
  negative: 'no balance is below zero',
  perBet:
    'each bet has changed the balance by 0, by minus the stake, or by minus the stake plus the last payout, with equal changes of the other accounts',
  once: 'a bet is staked once and refunded at most once, and refunded only if it is cancelled',
  unplaced: 'a bet that was never placed has moved no money',
  calls: 'all calls of a bet are recorded',
  state: 'a bet is in the state that its last applied call left',
  named: 'every transfer of a bet is named by exactly one of its calls',
  numbered: 'the feed is numbered without gaps, up to its count',
  sized: 'a row of the feed has as many events as it says',
  balanceChain: 'each balance in the feed follows from the one before it',
  lastBalance: 'the last balance in the feed equals the balance of the account',
}
export type Check = keyof typeof CHECKS

/**
 * The damage, in SQL, and the violated checks. `:bet` is the id of the bet in that state, `:player`
 * the player, `:imported` a player with an opening balance.
 */
export const DAMAGE: [string, string, Check[]][] = [
  [
    'a row of the feed that is lost',
    "delete from purser.change where events::text like '%bet.placed%' and events::text like '%' || :settled || '%'",
    ['numbered', 'balanceChain'],
  ],
  [
    'a number that was never assigned',
    'update purser.change set last_number = last_number + 1 where last_number = (select max(last_number) from purser.change)',
    ['numbered'],
  ],
  [
    'an event too many',
    'update purser.change set events = $$[["a"],["b"],["c"]]$$ where events::text like $$%session.opened%$$',
    ['sized'],
  ],
  [
    'a wrong balance in the feed, the last one of its account',
    `update purser.change set events = replace(events::text, '"10000"', '"10001"')::json
     where events::text like '%bet.rolled_back%' and events::text like '%' || :cancelled || '%'`,
    ['balanceChain', 'lastBalance'],
  ],
  [
    'a day that is closed without its sums',
    'insert into purser.daily_close select max(at)::date, now() from purser.transfer',
    ['kept'],
  ],
  [
    'a sum of a day that had no transfers',
    `insert into purser.daily_sum (day, currency, brand, kind, debit, credit, platform, site, transfers, amount)
     values ('2001-01-01', 'EUR', '', 'deposit', 'cash_in', 'player', '', '', 1, 100)`,
    ['kept'],
  ],
  [
    'a day left out between two that are closed',
    "insert into purser.daily_close values ('2001-01-01', now()), ('2001-01-03', now())",
    ['days'],
  ],
  [
    'a balance with a cent too much',
    'update purser.account set balance = balance + 1 where player = :player and currency = $$EUR$$',
    ['balanced', 'sum', 'last', 'lastBalance'],
  ],
  [
    'an account that is a transfer ahead',
    'update purser.account set version = version + 1 where player = :player and currency = $$EUR$$',
    ['last'],
  ],
  ['an account that is lost', 'delete from purser.account where player = :player', ['balanced', 'account']],
  [
    'an account without transfers that has money',
    "insert into purser.account select bucket, player, 'SEK', 5, 0, day, 0 from purser.account where player = :player and currency = 'EUR'",
    ['balanced', 'sum', 'last'],
  ],
  [
    'an opening version of another day',
    'update purser.account set opening_version = opening_version - 1 where player = :player and currency = $$EUR$$',
    ['opening'],
  ],
  ['a day in the future', 'update purser.account set day = day + 1 where player = :player', ['opening']],
  [
    'a transfer of a cent more',
    "update purser.transfer set amount = amount + 1 where bet_id = :settled and kind = 'payout'",
    ['balanced', 'sum', 'chain', 'perBet'],
  ],
  [
    'a transfer that is lost, the last of its day',
    "delete from purser.transfer where bet_id = :settled and kind = 'payout'",
    ['balanced', 'sum', 'chain', 'opening', 'perBet', 'named'],
  ],
  [
    'a lost transfer that never touched the player',
    "delete from purser.transfer where bet_id = :settled and kind = 'stake_closed'",
    ['chain', 'perBet', 'named'],
  ],
  [
    'a transfer from the wrong account',
    "update purser.transfer set debit = 'promotions' where bet_id = :settled and kind = 'payout'",
    ['perBet', 'kinds'],
  ],
  [
    'a transfer that left another balance',
    "update purser.transfer set balance_after = balance_after + 1 where bet_id = :open and kind = 'stake'",
    ['chain'],
  ],
  [
    'a transfer in another currency',
    "update purser.transfer set currency = 'SEK' where bet_id = :open",
    ['balanced', 'sum', 'chain', 'account', 'perBet', 'named'],
  ],
  [
    'a deposit without its record',
    "delete from purser.cash_movement where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'a withdrawal recorded as a deposit',
    "update purser.cash_movement set kind = 'deposit' where player = :player and kind = 'withdrawal'",
    ['cash'],
  ],
  [
    'a recorded deposit of a cent more',
    "update purser.cash_movement set amount = amount + 1 where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'a recorded deposit that left another balance',
    "update purser.cash_movement set balance_after = 1 where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'a recorded deposit of another transfer',
    "update purser.cash_movement set version = 99 where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'a recorded deposit in another currency',
    "update purser.cash_movement set currency = 'USD' where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'a recorded deposit of another reference',
    "update purser.cash_movement set reference = 'x' where player = :player and kind = 'deposit'",
    ['cash'],
  ],
  [
    'an adjustment without its record',
    "delete from purser.cash_movement where player = :player and kind = 'adjustment' and amount < 0",
    ['cash'],
  ],
  [
    'a recorded adjustment in the other direction',
    "update purser.cash_movement set amount = -amount where player = :player and kind = 'adjustment' and amount > 0",
    ['cash'],
  ],
  [
    'a deposit that is called an adjustment',
    "update purser.transfer set kind = 'adjustment' where player = :player and kind = 'deposit'",
    ['cash', 'kinds'],
  ],
  [
    'an adjustment that the house paid',
    "update purser.transfer set debit = 'house' where player = :player and kind = 'adjustment' and credit = 'player'",
    ['kinds'],
  ],
  [
    'an opening balance without its record',
    "delete from purser.cash_movement where player = :imported and kind = 'opening'",
    ['cash'],
  ],
  [
    'a recorded opening balance of a cent more',
    "update purser.cash_movement set amount = amount + 1 where player = :imported and kind = 'opening'",
    ['cash'],
  ],
  [
    'an opening balance that came in as cash',
    "update purser.transfer set debit = 'cash_in' where player = :imported and kind = 'opening'",
    ['kinds'],
  ],
  [
    'a deposit that is called an opening balance',
    "update purser.transfer set kind = 'opening' where player = :player and kind = 'deposit'",
    ['cash', 'kinds'],
  ],
  ['a bet with another stake', 'update purser.bet set stake = stake + 1 where bet_id = :open', ['perBet']],
  ['a bet with another payout', 'update purser.bet set payout = payout + 1 where bet_id = :settled', ['perBet']],
  ['a payout to another payee', "update purser.bet set payee = 'promotions' where bet_id = :settled", ['perBet']],
  ['a stake from another funder', "update purser.bet set funder = 'promotions' where bet_id = :open", ['perBet']],
  ['a bet in another currency', "update purser.bet set currency = 'SEK' where bet_id = :open", ['perBet', 'named']],
  [
    'a bet of another player',
    "update purser.bet set player = 'mallory' where bet_id = :open",
    ['perBet', 'once', 'named'],
  ],
  [
    'an open bet that says it is cancelled',
    "update purser.bet set status = 'cancelled' where bet_id = :open",
    ['perBet', 'once', 'state'],
  ],
  [
    'a cancelled bet that says it is open',
    "update purser.bet set status = 'open' where bet_id = :cancelled",
    ['perBet', 'once', 'state'],
  ],
  [
    'a settled bet that says it is open',
    "update purser.bet set status = 'open', payout = null, result_type = null, payee = null where bet_id = :settled",
    ['perBet', 'state'],
  ],
  [
    'a refund that is called a payout',
    "update purser.transfer set kind = 'payout' where bet_id = :cancelled and kind = 'refund'",
    ['once', 'kinds'],
  ],
  [
    'a second stake',
    "update purser.transfer set kind = 'stake' where bet_id = :settled and kind = 'payout'",
    ['once', 'kinds'],
  ],
  ['a bet that is lost', 'delete from purser.bet where bet_id = :open', ['once', 'named']],
  [
    'money moved for a refused bet',
    "update purser.transfer set bet_id = :refused where player = :player and kind = 'deposit'",
    ['once', 'unplaced', 'named'],
  ],
  [
    'money moved for a tombstone',
    "update purser.transfer set bet_id = :tombstone where player = :player and kind = 'deposit'",
    ['once', 'unplaced', 'named'],
  ],
  [
    'a call that is lost',
    'delete from purser.bet_call where bet_id = :settled and seq = 2',
    ['calls', 'named', 'state'],
  ],
  ['a lost call of a refused bet', 'delete from purser.bet_call where bet_id = :refused', ['calls', 'state']],
  ['a call too many', 'update purser.bet set calls = calls + 1 where bet_id = :open', ['calls']],
  ['a tombstone that is lost', 'delete from purser.bet where bet_id = :tombstone', ['calls']],
  ['a refused bet that is lost', 'delete from purser.bet where bet_id = :refused', ['calls']],
  ['a tombstone that is forgotten', "update purser.bet set status = 'unknown' where bet_id = :tombstone", ['state']],
  [
    'a refusal that is forgotten',
    "update purser.bet set status = 'unknown', refusal = null where bet_id = :refused",
    ['state'],
  ],
  [
    'a call that forgot its transfers',
    "update purser.bet_call set transfers = '{}' where bet_id = :settled",
    ['named'],
  ],
  ['a stake that is another transfer', 'update purser.bet set stake_version = 99 where bet_id = :open', ['named']],
  [
    'a payout that is called a reversal',
    "update purser.transfer set kind = 'payout_reversal' where bet_id = :settled and kind = 'payout'",
    ['kinds'],
  ],
]
