-- What was decided about a player (blocks, limits, exclusions, locks of bets), found without reading the player's sessions and money.
create index action_history on purser.action (subject, at, request_id)
  where operation in ('createPlayer', 'changePlayer', 'lockBet', 'unlockBet');
