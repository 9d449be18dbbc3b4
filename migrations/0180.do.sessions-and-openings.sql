-- The sessions of a player by the time they began, a page at a time. It serves whatever looks for a player's sessions, so the index on the player alone goes.
create index session_by_player on purser.session (player, created_at, token_hash);
drop index purser.session_of_player;

-- Who opened the personal data of a player (O-15), found without reading what else was done to the player.
create index action_openings on purser.action (subject, at, request_id) where operation = 'openPersonalData';
