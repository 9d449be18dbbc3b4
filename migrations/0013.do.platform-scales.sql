-- The scale in which the platform stores amounts of a currency (M-5). Of bets that are there it is read off what was sent: a
-- Place bet has all decimals of its currency, and comes first.
create table platform.currency (
  currency text collate "C" primary key,
  scale    smallint not null check (scale >= 0)
);
comment on table platform.currency is 'The scale in which amounts of a currency are stored, since its first bet; it never changes.';

insert into platform.currency (currency, scale)
select distinct on (b.currency) b.currency, scale((d.body::json ->> 'amount')::numeric)
from platform.bet b join platform.delivery d on d.bet_id = b.bet_id and d.number = 1
order by b.currency, b.placed_at;
