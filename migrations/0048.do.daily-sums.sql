-- What the transfers of a day come to, kept when the day is over, so that a report costs as little as it shows. Rows are only added.
create table purser.daily_close (
  day date primary key,
  kept_at timestamptz not null
);
comment on table purser.daily_close is 'Days (UTC) whose sums are kept, without gaps from the first one on.';

create table purser.daily_sum (
  day date not null,
  currency text collate "C" not null,
  brand text collate "C" not null,
  kind text collate "C" not null,
  debit text collate "C" not null,
  credit text collate "C" not null,
  transfers bigint not null check (transfers > 0),
  amount numeric not null check (amount >= 0),
  primary key (day, currency, brand, kind, debit, credit)
);
comment on table purser.daily_sum is 'Sums of purser.transfer, in minor units. brand is the player''s, empty for players of none.';

-- The transfers of a day lie together, so this index of a few pages finds them; a row that is added costs it next to nothing.
create index transfer_by_day on purser.transfer using brin (at) with (pages_per_range = 64, autosummarize = on);
