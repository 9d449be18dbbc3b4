-- The wallet's feed of changes, as the platform's (0024): what a batch has changed, in one row of its own transaction. Who reads the feed
-- first numbers what is committed (src/feed). Stored uncompressed: compressing a batch costs the calls more than its bytes.
create table purser.change (
  bucket      integer not null,
  change_id   bigint generated always as identity,
  size        integer not null check (size > 0),
  at          timestamptz not null,
  events      json not null,
  last_number bigint
);
comment on table purser.change is
  'events: a list of [name, member, …]; one with a balance is told as two (src/wallet/store/change.ts). last_number is the number of the last of them, null until it is numbered; change_id only orders what is numbered together.';
alter table purser.change alter column events set storage external;
create index change_to_number on purser.change (change_id) where last_number is null;
create unique index change_by_number on purser.change (last_number, bucket) where last_number is not null;

create table purser.change_count (
  only_row    boolean primary key default true check (only_row),
  last_number bigint not null
);
comment on table purser.change_count is 'The last number given. Whoever numbers holds the row, so that one process at a time does.';
insert into purser.change_count (last_number) values (0);
