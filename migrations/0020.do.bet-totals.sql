-- What limits 110 to 112 ask for, as running totals: the transaction that accepts or cancels a bet keeps them, so that a placement costs the
-- same on an event with a million bets as on a new one.

create table platform.outcome_total (
  event_id   text collate "C" not null,
  outcome_id text collate "C" not null,
  currency   text collate "C" not null,
  stake      numeric not null,
  win        numeric not null,
  primary key (event_id, outcome_id, currency)
) with (fillfactor = 50);
comment on table platform.outcome_total is 'Stakes of the accepted and settled bets on an outcome, and what they pay if they win, in minor units.';

create table platform.event_total (
  event_id text collate "C" primary key,
  bets     bigint not null
) with (fillfactor = 50);
comment on table platform.event_total is 'The number of accepted and settled bets on an event, in whatever currency.';

-- Rounded as odds.ts does. A bet from before C-11 may name an outcome or event twice; it counts once.
insert into platform.outcome_total (event_id, outcome_id, currency, stake, win)
select event_id, outcome_id, currency, sum(stake),
  sum(trunc(stake * trunc(coefficient::numeric * coalesce(booster, '1')::numeric, 6)))
from (select distinct event_id, outcome_id, bet_id from platform.selection) s join platform.bet b using (bet_id)
where b.status in ('accepted', 'settled')
group by event_id, outcome_id, currency;

insert into platform.event_total (event_id, bets)
select event_id, count(*)
from (select distinct event_id, bet_id from platform.selection) s join platform.bet b using (bet_id)
where b.status in ('accepted', 'settled')
group by event_id;
