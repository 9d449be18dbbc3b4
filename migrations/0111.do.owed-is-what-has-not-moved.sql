-- Money of what needs a person (C-9): not what its call says, but what has not moved. A payout of 222.40 that becomes 0.00 and is refused is
-- 222.40 to be taken back, not nothing.
comment on column platform.delivery.owed_since is
  'Since when it needs a person: stuck, refused with no later delivery of its bet, or answered 400 and tried again (C-5, C-9). owed_amount is the money that has not moved: below zero it is to be taken back from the player.';

update platform.delivery d
  set owed_amount = case d.operation when 'settle' then (m.body::json ->> 'amount')::numeric - t.told when 'unsettle' then -t.told
      else (m.body::json ->> 'amount')::numeric end
  from platform.message m, (
    select b.bet_id, case when b.told_status = 'settled' then round(b.told_payout / power(10::numeric, c.scale::numeric), c.scale) else 0 end as told
    from platform.bet b join platform.currency c using (currency)
  ) t
  where d.owed_since is not null and m.delivery_id = d.delivery_id and t.bet_id = d.bet_id;
