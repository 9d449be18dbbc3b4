-- A table without an identity of its rows refuses every update and delete once a publication has it, as `create publication … for all tables` has. That
-- stopped the numbering of both feeds. `purser migrate --citus` has given two of the three theirs already.
do $$
begin
  if not exists (select from pg_catalog.pg_constraint where conrelid = 'purser.change'::regclass and contype = 'p') then
    alter table purser.change add primary key (change_id, bucket);
  end if;
  -- Its rows come with every Place bet and go never, and the same one can stand twice: a key would cost each call an index, this costs nothing.
  if not exists (select from pg_catalog.pg_class where oid = 'purser.bet_event'::regclass and relreplident = 'f') then
    alter table purser.bet_event replica identity full;
  end if;
end $$;
alter table platform.change add primary key (change_id);
