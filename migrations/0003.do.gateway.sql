-- The gateway's tables: whom it calls, and under which names each side knows a player. Rows of player
-- and session never change, so every process may keep what it has read.

create schema gateway;

create table gateway.operator (
  operator_id text collate "C" primary key,
  base_url    text not null,
  secrets     json not null,
  created_at  timestamptz not null,
  connection  json
);
comment on column gateway.operator.secrets is 'As platform.partner.secrets.';
comment on column gateway.operator.connection is 'As platform.partner.connection.';

create table gateway.player (
  user_id       text collate "C" primary key,
  operator_id   text collate "C" not null,
  operator_user text collate "C" not null,
  created_at    timestamptz not null,
  unique (operator_id, operator_user)
);
comment on table gateway.player is
  'user_id is the gateway''s own id of an operator''s player, the userId of every call; operator_user is the operator''s.';

create table gateway.session (
  token_hash     bytea primary key,
  user_id        text collate "C" not null,
  currency       text not null,
  created_at     timestamptz not null,
  operator_token json not null
);
comment on table gateway.session is
  'One row per operator''s token that was exchanged. The gateway''s own token is kept as its SHA-256; the operator''s as {key, sealed}, encrypted with a key that the gateway''s own token makes.';
create index session_created on gateway.session (created_at);

-- The wallet's tables of these names say what they are for.
create table gateway.action (like purser.action, primary key (subject, at, request_id));
comment on table gateway.action is 'As purser.action, of the gateway''s API.';
create index action_by_time on gateway.action (at, request_id) where at < 'infinity';

create table gateway.api_key (like purser.api_key including all);
comment on table gateway.api_key is 'As purser.api_key, of the gateway''s API.';
comment on column gateway.api_key.rights is 'As purser.api_key.rights.';
comment on column gateway.api_key.used_at is 'As purser.api_key.used_at.';
comment on column gateway.api_key.scope is 'Null: all. Else only what belongs to this operator.';

create table gateway.journal (like purser.journal including all) partition by range (at);
comment on table gateway.journal is 'As purser.journal, of the gateway.';
insert into purser.journal_retention (schema) values ('gateway');
create function gateway.rotate_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('gateway', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'gateway';
end;
create function gateway.prepare_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('gateway', (now() at time zone 'UTC')::date, 36500);
end;
revoke execute on function gateway.rotate_journal(), gateway.prepare_journal() from public;
