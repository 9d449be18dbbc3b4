-- Rollbacks are claimed apart from results: they do not wait behind the results of a partner that is down (W-15). The
-- index is the queue of each lane.

drop index platform.delivery_due;
create index delivery_due on platform.delivery (partner_id, (operation = 'rollback'), due_at)
  where status = 'pending';

-- Who decided a result: what was decided by request, results of events leave alone (W-17).
update platform.bet set result_source = case when result_type = 'cashout' then 'request' else 'event' end
  where status = 'settled' and result_source is null;
