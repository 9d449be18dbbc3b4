-- The role of a server could drop days of the journal (W-30), which is evidence: it chose the day and the number of days itself. Now the day is that
-- of the database's clock, and the number stands in a table that only the owner can change. null: not yet set, and nothing is dropped.
create table purser.journal_retention (
  schema text collate "C" primary key,
  days   int
);
comment on table purser.journal_retention is
  'Days for which each journal of calls is kept (W-30): PURSER_JOURNAL_DAYS, as the owner of the tables has last run purser migrate or a server with it. 0: none; null: not yet set.';
insert into purser.journal_retention (schema) values ('purser'), ('gateway');

drop function purser.turn_journal(date, int), gateway.turn_journal(date, int);
create function purser.turn_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('purser', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'purser';
end;
create function gateway.turn_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('gateway', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'gateway';
end;
revoke execute on function purser.turn_journal(), gateway.turn_journal() from public;
