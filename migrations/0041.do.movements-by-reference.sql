-- A movement is found by what the operator calls it, without its player: somebody pastes the id of a payment.
create index movement_by_reference on purser.cash_movement (reference, player);
