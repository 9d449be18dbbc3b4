-- A table without an identity of its rows refuses every update and delete once a publication has it, as `create publication … for all tables` has. That
-- stopped the numbering of both feeds. `purser migrate --citus` has given two of the three theirs already.
--
-- A sequence that was set back gave the same change_id twice: all but one of these rows get another id. The id only orders
-- what has no number yet, so that no reader of a feed sees a difference. A publication refuses an update without an
-- identity, which is why the rows have one until the key is there.
do $$
declare
  feed text;
  key text;
  last_id bigint;
begin
  for feed, key in values ('purser.change', 'change_id, bucket'), ('platform.change', 'change_id') loop
    continue when exists (select from pg_catalog.pg_constraint where conrelid = feed::regclass and contype = 'p');
    execute format('select max(change_id) from %s having count(*) > count(distinct (%s))', feed, key) into last_id;
    continue when last_id is null;
    execute format('alter table %s replica identity full', feed);
    perform setval(sequence, greatest(last_id, nextval(sequence)))
      from (select pg_get_serial_sequence(feed, 'change_id')::regclass as sequence) s;
    execute format('update %1$s set change_id = default where ctid in
      (select ctid from (select ctid, row_number() over (partition by %2$s order by ctid) as place from %1$s) r where place > 1)', feed, key);
    execute format('alter table %s replica identity default', feed);
  end loop;
  if not exists (select from pg_catalog.pg_constraint where conrelid = 'purser.change'::regclass and contype = 'p') then
    alter table purser.change add primary key (change_id, bucket);
  end if;
  -- Its rows come with every Place bet and go never, and the same one can stand twice: a key would cost each call an index, this costs nothing.
  if not exists (select from pg_catalog.pg_class where oid = 'purser.bet_event'::regclass and relreplident = 'f') then
    alter table purser.bet_event replica identity full;
  end if;
end $$;
alter table platform.change add primary key (change_id);
