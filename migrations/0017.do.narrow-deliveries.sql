-- A delivery's row is rewritten by each attempt, so it is narrow: the bytes that are sent are written once, apart.
create table platform.message (
  delivery_id bigint primary key,
  body        text not null
);
comment on table platform.message is 'The bytes of each delivery, which every attempt sends (C-5). Written once.';
insert into platform.message (delivery_id, body) select delivery_id, body from platform.delivery;
alter table platform.delivery drop column body;

-- A claim changes nothing that an index knows, and finds room on the row's own page: it writes no index (HOT). Before, it moved due_at to
-- infinity, and the index entry with it; the dead ones lay in the way of whoever looked for what is due, while a snapshot was open.
alter table platform.delivery add column is_claimed boolean not null default false;
update platform.delivery set is_claimed = true, due_at = coalesce(first_attempt_at, decided_at)
  where status = 'pending' and operation <> 'place' and due_at = 'infinity';
alter table platform.delivery set (fillfactor = 50);
comment on table platform.delivery is 'One call to a partner, tried until it is over. waiting: an earlier one of the same bet is not over; pending: due at due_at, or on its way (is_claimed), and due again when a process has watched that claim unchanged for a whole lease.';

-- The queue of each lane. By id too: those of one slice of results are due at one time, and each claim goes on behind the last one. Only
-- who asks for the lane can use it, and nobody who does can use another: what is pending goes from nothing to a million and back
-- between two looks of the statistics, which must not choose the index.
drop index platform.delivery_due;
create index delivery_due on platform.delivery
  (partner_id, (case when status = 'pending' and operation <> 'place' then operation = 'rollback' end), due_at, delivery_id)
  where case when status = 'pending' and operation <> 'place' then operation = 'rollback' end is not null;
