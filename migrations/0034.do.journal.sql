-- The journal of calls (W-30): every call of the wire for some days, beside the money and never in front of it. A partition holds
-- a day (UTC) and is dropped whole. Each server has a table of its own, as for actions (0012).
create table purser.journal (
  at          timestamptz not null,
  id          uuid not null,
  source      text not null,
  operation   text not null,
  outcome     text not null,
  player      text collate "C",
  bet_id      text collate "C",
  request_id  text collate "C",
  secret      smallint,
  body_bytes  int not null,
  body_sha256 text not null,
  status      smallint not null,
  code        smallint,
  arrival_ms  real not null,
  work_ms     real not null,
  chunk       uuid not null,
  chunk_from  int not null,
  body_kept   int not null,
  answer_kept int not null,
  primary key (at, id)
) partition by range (at);
create table gateway.journal (like purser.journal including all) partition by range (at);

-- Bodies and answers, those of many calls in one row: a text of its own for each would cost more than all the rest of its row.
create table purser.journal_chunk (
  at    timestamptz not null,
  chunk uuid not null,
  bytes bytea not null,
  primary key (chunk, at)
) partition by range (at);
alter table purser.journal_chunk alter column bytes set storage external;
create table gateway.journal_chunk (like purser.journal_chunk including all) partition by range (at);
comment on table purser.journal is
  'Calls of the wire as they came and were answered, newest days only. Body and answer stand one behind the other in the bytes of a chunk, from chunk_from on; tokens in bodies are masked (beginning and hash). secret is the place of the secret that verified the signature, null when none did; arrival_ms is from the first byte to the whole body, work_ms from there to the answer.';
comment on table gateway.journal is 'As purser.journal, of the gateway.';

create index journal_by_player on purser.journal (player, at) where player is not null;
create index journal_by_bet on purser.journal (bet_id, at) where bet_id is not null;
create index journal_by_code on purser.journal (code, at) where code is not null;
create index journal_by_player on gateway.journal (player, at) where player is not null;
create index journal_by_bet on gateway.journal (bet_id, at) where bet_id is not null;
create index journal_by_code on gateway.journal (code, at) where code is not null;

-- The servers may not make or drop tables, so that these functions of the owner do it: the day before, the day itself and the next
-- one are made, and days older than `keep` (1 at least) by the earlier of both clocks are dropped. pg_temp stands last, or a role could put its own pg_class before ours.
create function purser.turn_journal_of(of name, today date, keep int) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  day date;
  what text;
  old record;
  grantee regrole;
begin
  perform pg_advisory_xact_lock(hashtext(of || '.journal'));
  foreach what in array array['journal', 'journal_chunk'] loop
    for day in select today + n from generate_series(-1, 1) n loop
      execute format('create table if not exists %I.%I partition of %I.%I for values from (%L) to (%L)',
        of, what || '_' || to_char(day, 'YYYYMMDD'), of, what, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
      -- What a role may do with all new tables (its default privileges) is too much here: rights on the whole are enough.
      for grantee in
        select distinct a.grantee from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
        where c.oid = format('%I.%I', of, what || '_' || to_char(day, 'YYYYMMDD'))::regclass and a.grantee not in (0, c.relowner)
      loop
        execute format('revoke all on %I.%I from %s', of, what || '_' || to_char(day, 'YYYYMMDD'), grantee);
      end loop;
    end loop;
    for old in
      select c.relname as name from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
      where i.inhparent = format('%I.%I', of, what)::regclass
        and c.relname < what || '_' || to_char(least(today, (now() at time zone 'UTC')::date) - greatest(keep, 1), 'YYYYMMDD')
    loop
      execute format('drop table %I.%I', of, old.name);
    end loop;
  end loop;
end $$;
create function purser.turn_journal(today date, keep int) returns void language sql security definer
  set search_path = pg_catalog, pg_temp begin atomic; select purser.turn_journal_of('purser', today, keep); end;
create function gateway.turn_journal(today date, keep int) returns void language sql security definer
  set search_path = pg_catalog, pg_temp begin atomic; select purser.turn_journal_of('gateway', today, keep); end;
revoke execute on function purser.turn_journal_of(name, date, int), purser.turn_journal(date, int), gateway.turn_journal(date, int) from public;
