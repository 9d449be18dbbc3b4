-- The late copy of a refused result (I-2), and a Place bet's bytes with PUT (S-5), are looked for by their requestId.
create index bet_call_refused on purser.bet_call (player, bet_id, request_id, operation, seq)
  where operation = 'place' or refusal in ('recalculation_blocked', 'recalculation_negative');

-- Whether another result was applied since: compared with the number of the refused call.
alter table purser.bet add column last_result integer not null default 0;
comment on column purser.bet.last_result is 'Number of the call whose result (Settle, Unsettle) was applied last; 0 for none, or for one from before this column of a bet that had no result refused.';
update purser.bet b set last_result = c.applied
  from (
    select bucket, player, bet_id, max(seq) filter (where outcome = 'applied') as applied
    from purser.bet_call where operation in ('settle', 'unsettle') group by bucket, player, bet_id
    having bool_or(refusal in ('recalculation_blocked', 'recalculation_negative'))
  ) c
  where b.bucket = c.bucket and b.player = c.player and b.bet_id = c.bet_id and c.applied is not null;
