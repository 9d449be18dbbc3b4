-- The journal of calls (W-30), one row for some hundred calls. A row and three entries in indexes for each call cost a quarter of all that the call
-- itself costs. Who looks for a call finds the chunks in which it can be by their keys, from the newest on, and reads those.
drop table purser.journal, purser.journal_chunk, gateway.journal, gateway.journal_chunk;

create table purser.journal (
  at      timestamptz not null,
  chunk   uuid not null,
  since   timestamptz not null,
  calls   int not null,
  slowest real not null,
  keys    int[] not null,
  bytes   bytea not null,
  primary key (at, chunk)
) partition by range (at);
-- Neither can be made smaller: hashes, and what is deflated already.
alter table purser.journal alter column keys set storage external, alter column bytes set storage external;
create table gateway.journal (like purser.journal including all) partition by range (at);
comment on table purser.journal is
  'Calls of the wire as they came and were answered, newest days only, some hundred in a row: at and since are the times of its last answer and of its first byte, slowest is in milliseconds, keys are hashes of what its calls can be found by (players, bets, requests, operations, outcomes, codes), bytes are the calls, deflated. Tokens in bodies are masked (beginning and hash). GET /operator/calls reads them.';
comment on table gateway.journal is 'As purser.journal, of the gateway.';

-- As in 0034, for the one table. `keep` 0: no journal is wanted, so no day stays and none is made; a negative one counts as 1.
create or replace function purser.turn_journal_of(of name, today date, keep int) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  day date;
  old record;
  grantee regrole;
begin
  perform pg_advisory_xact_lock(hashtext(of || '.journal'));
  for day in select today + n from generate_series(-1, 1) n where keep <> 0 loop
    execute format('create table if not exists %I.%I partition of %I.journal for values from (%L) to (%L)',
      of, 'journal_' || to_char(day, 'YYYYMMDD'), of, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    -- What a role may do with all new tables (its default privileges) is too much here: rights on the whole are enough.
    for grantee in
      select distinct a.grantee from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
      where c.oid = format('%I.%I', of, 'journal_' || to_char(day, 'YYYYMMDD'))::regclass and a.grantee not in (0, c.relowner)
    loop
      execute format('revoke all on %I.%I from %s', of, 'journal_' || to_char(day, 'YYYYMMDD'), grantee);
    end loop;
  end loop;
  for old in
    select c.relname as name from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('%I.journal', of)::regclass
      and (keep = 0 or c.relname < 'journal_' || to_char(least(today, (now() at time zone 'UTC')::date) - greatest(keep, 1), 'YYYYMMDD'))
  loop
    execute format('drop table %I.%I', of, old.name);
  end loop;
end $$;
