-- Adjustments that need no second person are summed by key, day and currency (W-27): many small ones are as much money as one large one.
create table purser.adjusted_sum (
  key_name text collate "C" not null,
  day      date not null,
  currency text collate "C" not null,
  amount   bigint not null check (amount >= 0),
  primary key (key_name, day, currency)
);
comment on table purser.adjusted_sum is
  'Adjustments by one person alone: their amounts without signs, by key, day of UTC and currency.';
