-- The gateway's tables: whom it calls, and under which names each side knows a player. Rows of player and session never
-- change once they are made, so that every process may keep what it has read.

create schema gateway;

create table gateway.operator (
  operator_id text primary key,
  base_url    text not null,
  secret      text not null,
  created_at  timestamptz not null
);

create table gateway.player (
  user_id       text primary key,
  operator_id   text not null,
  operator_user text not null,
  created_at    timestamptz not null,
  unique (operator_id, operator_user)
);
comment on table gateway.player is 'user_id is the gateway''s own id of an operator''s player, the userId of every call; operator_user is the operator''s.';

create table gateway.session (
  token_hash     bytea primary key,
  user_id        text not null,
  operator_token text not null,
  currency       text not null,
  created_at     timestamptz not null
);
comment on table gateway.session is 'One row per operator''s token that was exchanged. The gateway''s own token is kept as its SHA-256; the operator''s as it is, since it must be given back.';
create index session_created on gateway.session (created_at);
