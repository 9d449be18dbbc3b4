-- Who is signed in to the console (U-2), at wallet and platform: a session acts for the key it was begun with, and ends with it. Neither its token
-- nor the key is anywhere.
create table purser.console_session (
  hash     bytea primary key check (octet_length(hash) = 32),
  key_hash bytea not null check (octet_length(key_hash) = 32),
  made_at  timestamptz not null,
  ends_at  timestamptz not null
);
create table platform.console_session (like purser.console_session including all);
comment on table purser.console_session is 'Sessions of the console, as SHA-256 of their tokens; key_hash is that of the key whose role they have.';
comment on table platform.console_session is 'As purser.console_session, of the platform''s console.';
