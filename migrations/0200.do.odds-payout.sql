-- A result above what the odds of its bet can pay is an anomaly (W-49). The limit is computed once, when the bet is placed, so that a Settle compares
-- two numbers of a row that it reads anyway. Bets from before this column have none, and nothing is compared.
alter table purser.bet add column odds_payout bigint check (odds_payout >= 0);
comment on column purser.bet.odds_payout is
  'Stake × coefficient × boosterCoefficient in minor units, rounded down; null where the Place bet named no coefficient of 1 or more.';
comment on table purser.bet_call is
  'Every call about a bet except its accepted Place bet, which is the bet''s own row, and is here too only when it is an anomaly, then without its transfer. effect_at is the time that was answered; transfers are versions of purser.transfer.';
