-- The role of a server could drop days of the journal (W-30), which is evidence: it chose the day and the number of days itself. Now the day is that
-- of the database's clock, and the number stands in a table that only the owner can change. null: not yet set, and nothing is dropped.
create table purser.journal_retention (
  schema text collate "C" primary key,
  days   int
);
comment on table purser.journal_retention is
  'Days for which each journal of calls is kept (W-30): PURSER_JOURNAL_DAYS, as the owner of the tables has last run purser migrate or a server with it. 0: none; null: not yet set.';
insert into purser.journal_retention (schema) values ('purser'), ('gateway');
-- A role may have rights on all new tables by default: the owner alone may change this one.
do $$
declare
  grantee regrole;
begin
  for grantee in
    select distinct a.grantee from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
    where c.oid = 'purser.journal_retention'::regclass and a.grantee not in (0, c.relowner)
  loop
    execute format('revoke all on purser.journal_retention from %s', grantee);
  end loop;
end $$;

drop function purser.turn_journal(date, int), gateway.turn_journal(date, int);
create function purser.turn_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('purser', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'purser';
end;
create function gateway.turn_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('gateway', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'gateway';
end;
-- Drops nothing, for a server that keeps more days than the owner has set.
create function purser.prepare_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('purser', (now() at time zone 'UTC')::date, 36500);
end;
create function gateway.prepare_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.turn_journal_of('gateway', (now() at time zone 'UTC')::date, 36500);
end;
revoke execute on function purser.turn_journal(), gateway.turn_journal(), purser.prepare_journal(), gateway.prepare_journal() from public;
