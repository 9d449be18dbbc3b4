-- What retention takes the tokens of (O-6), oldest first; those that it has taken are not in it.
create index frame_session_kept on platform.frame_session (created_at, frame_session_id) where token <> '';
