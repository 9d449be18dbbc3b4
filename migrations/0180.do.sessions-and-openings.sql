-- The sessions of a player by the time they began, a page at a time. The condition is true of every session: only the list states it, so that no
-- statement of a call takes this index for its own.
create index session_by_player on purser.session (player, created_at, token_hash, bucket) where created_at > '-infinity';

-- Who opened the personal data of a player (O-15), found without reading what else was done to the player.
create index action_openings on purser.action (subject, at, request_id) where operation = 'openPersonalData';
