-- What was adjusted for a bet is found by the bet, so that the next person sees it before paying again (O-2).
create index movement_by_bet on purser.cash_movement (player, bet_id, bucket) where bet_id is not null;
-- What waits for a second person is found by its player, without reading what has been decided or has expired.
create index proposal_waiting on purser.proposal (player, expires_at, bucket) where status = 'pending';
