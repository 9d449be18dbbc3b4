-- Who did what (O-4): every change through our own APIs, written in the transaction of the change and never altered. Each server has a
-- table of its own, so that the role of one neither reads nor forges what another one keeps.
create table purser.action (
  subject    text collate "C" not null,
  at         timestamptz not null,
  request_id text collate "C" not null,
  operation  text not null,
  ids        json not null,
  key_name   text not null,
  key_hash   text not null,
  person     text,
  before     json not null,
  after      json not null,
  primary key (subject, at, request_id)
);
create table platform.action (like purser.action including all);
create table gateway.action (like purser.action including all);
comment on table purser.action is
  'Changes through the wallet''s own API, append-only. subject is the first of ids, what the log is searched by; before and after hold what changed, secrets masked; key_hash is the beginning of the key''s SHA-256.';
comment on table platform.action is 'As purser.action, of the platform''s API.';
comment on table gateway.action is 'As purser.action, of the gateway''s API.';

-- Only the list of everything states this condition, so that the list of one subject has only the primary key (0009).
create index action_by_time on purser.action (at, request_id) where at < 'infinity';
create index action_by_time on platform.action (at, request_id) where at < 'infinity';
create index action_by_time on gateway.action (at, request_id) where at < 'infinity';
