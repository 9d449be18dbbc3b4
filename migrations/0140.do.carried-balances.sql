-- What `purser archive` leaves of transfers that lie in files (O-13): the balance that an account carries on from, and the sums that audits need.
create table purser.archive (
  file text collate "C" primary key,
  before timestamptz not null,
  made_at timestamptz not null,
  accounts integer not null check (accounts > 0),
  transfers bigint not null check (transfers > 0)
);
comment on table purser.archive is 'The files; each has the SHA-256 of its bytes in its name. Written by the owner only, as are the two tables beside it.';

create table purser.carried_balance (
  bucket   integer not null,
  player   text collate "C" not null,
  currency text collate "C" not null,
  version  bigint not null check (version > 0),
  balance  bigint not null,
  at       timestamptz not null,
  file     text collate "C" not null,
  place    integer not null check (place > 0),
  primary key (bucket, player, currency, version)
);
comment on table purser.carried_balance is
  'The account''s transfers up to version are in files, those since the row before in this one, at this place of it. balance and at are those of transfer version.';

create table purser.archived_sum (
  day       date not null,
  currency  text collate "C" not null,
  brand     text collate "C" not null,
  kind      text collate "C" not null,
  debit     text collate "C" not null,
  credit    text collate "C" not null,
  platform  text collate "C" not null,
  transfers bigint not null check (transfers > 0),
  amount    numeric not null check (amount >= 0),
  primary key (day, currency, brand, kind, debit, credit, platform)
);
comment on table purser.archived_sum is 'As purser.daily_sum, of the transfers that are in files.';

alter table purser.bet
  add column archived_to_player bigint,
  add column archived_to_promotions bigint,
  add column archived_to_open_stakes bigint;
comment on column purser.bet.archived_to_player is 'What the transfers of the bet that are in files came to; null when none is. The two behind it are null for 0.';

-- What was taken of a file.
create index carried_balance_by_file on purser.carried_balance (file, place);
