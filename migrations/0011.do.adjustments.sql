-- A correction of money by hand is a movement of its own, between the player and an account of its own, with its reason and the
-- person (O-2). It is never a deposit: sums of deposits stay what players paid in.
alter table purser.transfer
  drop constraint transfer_debit_check,
  drop constraint transfer_credit_check,
  add constraint transfer_debit_check check (debit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments')),
  add constraint transfer_credit_check check (credit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments'));

alter table purser.cash_movement
  add column reason text,
  add column person text,
  add column ticket text,
  add column bet_id text collate "C",
  drop constraint cash_movement_kind_check,
  drop constraint cash_movement_amount_check,
  add constraint cash_movement_kind_check check (kind in ('deposit', 'withdrawal', 'adjustment')),
  add constraint cash_movement_amount_check check (amount > 0 or (kind = 'adjustment' and amount < 0)),
  add constraint cash_movement_adjustment_check check (
    case kind when 'adjustment' then reason is not null and person is not null
      else coalesce(reason, person, ticket, bet_id) is null end);
comment on table purser.cash_movement is
  'Deposits, withdrawals and adjustments by the operator''s reference: the same reference again is answered from here. The amount of an adjustment is signed; bet_id is the bet that it corrects.';
