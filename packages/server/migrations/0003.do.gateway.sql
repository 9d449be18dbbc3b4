-- The gateway's tables: the operators that it calls, and the names by which each side knows a
-- player. Rows of player and session never change, so every process may cache them.

create schema gateway;

create table gateway.operator (
  operator_id text collate "C" primary key,
  base_url    text not null,
  secrets     json not null,
  created_at  timestamptz not null,
  connection  json
);
comment on column gateway.operator.secrets is 'The same as platform.partner.secrets.';
comment on column gateway.operator.connection is 'The same as platform.partner.connection.';

create table gateway.player (
  user_id       text collate "C" primary key,
  operator_id   text collate "C" not null,
  operator_user text collate "C" not null,
  created_at    timestamptz not null,
  unique (operator_id, operator_user)
);
comment on table gateway.player is
  'user_id is the gateway''s own id of an operator''s player, the userId of every call. operator_user is the operator''s id.';

create table gateway.session (
  token_hash     bytea primary key,
  user_id        text collate "C" not null,
  currency       text not null,
  created_at     timestamptz not null,
  operator_token json not null
);
comment on table gateway.session is
  'One row for each exchanged operator token. The gateway''s own token is stored as SHA-256. The operator''s token is stored as {key, sealed}, encrypted with a key that is derived from the gateway''s own token.';
create index session_created on gateway.session (created_at);

-- The wallet's tables of the same names have the explanations.
create table gateway.action (like purser.action, primary key (subject, at, request_id));
comment on table gateway.action is 'The same as purser.action, of the gateway''s API.';
create index action_by_time on gateway.action (at, request_id) where at < 'infinity';

create table gateway.api_key (like purser.api_key including all);
comment on table gateway.api_key is 'The same as purser.api_key, of the gateway''s API.';
comment on column gateway.api_key.rights is 'The same as purser.api_key.rights.';
comment on column gateway.api_key.used_at is 'The same as purser.api_key.used_at.';
comment on column gateway.api_key.scope is 'Null: everything. Otherwise the key reaches only data of this operator.';

create table gateway.journal (like purser.journal including all) partition by range (at);
comment on table gateway.journal is 'The same as purser.journal, of the gateway.';
insert into purser.journal_retention (schema) values ('gateway');
create function gateway.rotate_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('gateway', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'gateway';
end;
create function gateway.prepare_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('gateway', (now() at time zone 'UTC')::date, 36500);
end;
revoke execute on function gateway.rotate_journal(), gateway.prepare_journal() from public;
