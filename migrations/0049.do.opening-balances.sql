-- What players brought from another wallet is a kind of money of its own: sums of deposits stay what players paid in.
alter table purser.transfer
  drop constraint transfer_debit_check,
  drop constraint transfer_credit_check,
  add constraint transfer_debit_check check (debit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments', 'openings')),
  add constraint transfer_credit_check check (credit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments', 'openings'));

alter table purser.cash_movement
  drop constraint cash_movement_kind_check,
  add constraint cash_movement_kind_check check (kind in ('deposit', 'withdrawal', 'adjustment', 'opening'));
comment on table purser.cash_movement is
  'Deposits, withdrawals, adjustments and opening balances by the operator''s reference: the same reference again is answered from here. The amount of an adjustment is signed; bet_id is the bet that it corrects.';
