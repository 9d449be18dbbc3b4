-- Late copies of a result are found among a bet's first calls by its primary key, and among the many calls that a bet can have besides by this
-- index. So a usual result, which is a bet's second call, writes into no index but the primary key. Of a large table the index can be made
-- beforehand, with `create index concurrently` under this name: calls wait for no lock then.
-- A build that was broken off leaves an index that nobody reads.
do $$ begin
  if exists (select from pg_index where indexrelid = to_regclass('purser.bet_call_late') and not indisvalid) then
    drop index purser.bet_call_late;
  end if;
end $$;
create index if not exists bet_call_late on purser.bet_call (player, bet_id, request_id)
  where operation in ('settle', 'unsettle') and outcome <> 'refused' and seq > 16;
