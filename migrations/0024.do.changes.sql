-- The feed of changes: what bets and deliveries have become, in one order for everybody, without gaps and doubles. The transaction of a
-- change writes a row here, with all of its changes of one kind; who reads the feed first numbers what is committed (src/feed).
-- A row that commits late has no number yet when later ones get theirs, and gets the next one then: none is skipped.
create table platform.change (
  change_id   bigint generated always as identity,
  size        integer not null check (size > 0),
  at          timestamptz not null,
  events      json not null,
  last_number bigint
);
comment on table platform.change is
  'events: a list of [name, member, …]. last_number is the number of the last of them, null until it is numbered; change_id only orders what is numbered together.';
create index change_to_number on platform.change (change_id) where last_number is null;
create unique index change_by_number on platform.change (last_number) where last_number is not null;

create table platform.change_count (
  only_row    boolean primary key default true check (only_row),
  last_number bigint not null
);
comment on table platform.change_count is 'The last number given. Whoever numbers holds the row, so that one process at a time does.';
insert into platform.change_count (last_number) values (0);
