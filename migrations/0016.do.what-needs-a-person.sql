-- What needs a person (C-9) is marked on its delivery, by the statement that writes the failure anyway, so that a list, its filters and sums
-- are found through indexes that have nothing else: what goes well is in none of them.
alter table platform.delivery
  add column owed_since    timestamptz,
  add column owed_amount   numeric,
  add column owed_currency text;
comment on column platform.delivery.owed_since is
  'Since when it needs a person: stuck, refused with no later delivery of its bet, or answered 400 and tried again (C-5, C-9). owed_amount and owed_currency are what its body says.';

update platform.delivery d
  set owed_since = coalesce(d.finished_at, d.decided_at), owed_amount = (d.body::json ->> 'amount')::numeric,
    owed_currency = d.body::json ->> 'currency'
  from platform.bet b
  where b.bet_id = d.bet_id and d.operation <> 'place' and (d.status = 'stuck' or (d.status = 'pending' and d.code is not null)
    or (d.status = 'refused' and d.result_type is distinct from 'cashout' and d.number = b.deliveries));

-- Each is of use only to who asks for its first column: the whole list, the filters and the sums state conditions of their own, so that
-- statistics never choose the index of one for another (0009).
create index delivery_owed on platform.delivery (owed_since, delivery_id) where owed_since < 'infinity';
create index delivery_owed_by_partner on platform.delivery (partner_id, owed_since, delivery_id)
  where owed_since > '-infinity' and partner_id is not null;
create index delivery_owed_by_status on platform.delivery (status, owed_since, delivery_id)
  where owed_since > '-infinity' and status is not null;
create index delivery_owed_by_operation on platform.delivery (operation, owed_since, delivery_id)
  where owed_since > '-infinity' and operation is not null;
create index delivery_owed_by_code on platform.delivery (code, owed_since, delivery_id)
  where owed_since > '-infinity' and code is not null;
create index delivery_owed_sums on platform.delivery (owed_currency, status) include (owed_amount) where owed_amount is not null;

-- Declined Place bets are most of what is refused, and nobody looks for them among deliveries, but who asks for Place bets.
drop index platform.delivery_not_done;
create index delivery_not_done on platform.delivery (status, delivery_id)
  where status <> 'done' and (status <> 'refused' or operation <> 'place');
create index delivery_declined on platform.delivery (delivery_id) where status = 'refused' and operation = 'place';

-- Those marks count what is owed.
drop index platform.delivery_refused;
