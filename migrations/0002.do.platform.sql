-- The platform's tables: the calling side. A bet's change and the delivery that tells the partner are written in one
-- transaction; deliveries of one bet are numbered in the order in which they were decided.

create schema platform;

create table platform.partner (
  partner_id text primary key,
  base_url   text not null,
  secret     text not null,
  created_at timestamptz not null
);

create table platform.frame_session (
  frame_session_id uuid primary key,
  partner_id       text not null,
  token            text not null,
  user_id          text not null,
  operator_user    text,
  currency         text not null,
  profile          json not null,
  created_at       timestamptz not null
);
comment on table platform.frame_session is 'A user who loaded the frame: the token, and the profile as the partner gave it, with the currency that bets of this session carry.';

create table platform.event (
  event_id   text primary key,
  status     text not null check (status in ('open', 'suspended', 'withdrawn', 'ended')),
  updated_at timestamptz not null
);

create table platform.outcome (
  event_id    text not null,
  outcome_id  text not null,
  coefficient text,
  result      text check (result in ('won', 'lost', 'refund')),
  primary key (event_id, outcome_id)
);

create table platform.limits (
  only_row boolean primary key default true check (only_row),
  limits   json not null
);

create table platform.bet (
  bet_id            uuid primary key,
  partner_id        text not null,
  frame_session_id  uuid not null,
  idempotency_key   text,
  request_hash      text not null,
  user_id           text not null,
  operator_user     text,
  currency          text not null,
  token             text not null,
  stake             bigint not null check (stake >= 0),
  status            text not null check (status in ('placing', 'accepted', 'declined', 'cancelled', 'settled')),
  reason            text,
  ticket_type       text not null check (ticket_type in ('single', 'express')),
  coefficient       text not null,
  booster           text,
  bonus_id          integer,
  bonus_template_id integer,
  payout            bigint check (payout >= 0),
  result_type       text check (result_type in ('won', 'lost', 'refund', 'cashout')),
  result_source     text check (result_source in ('event', 'request')),
  told_status       text check (told_status in ('open', 'settled', 'cancelled')),
  told_payout       bigint,
  told_result_type  text,
  deliveries        integer not null default 1,
  placed_at         timestamptz not null,
  changed_at        timestamptz not null,
  check ((status = 'settled') = (payout is not null and result_type is not null))
) with (fillfactor = 80);
comment on table platform.bet is 'status is what the platform decided; told_* is what the partner has acknowledged last. deliveries counts the deliveries decided.';
create unique index bet_by_idempotency_key on platform.bet (partner_id, idempotency_key) where idempotency_key is not null;
create index bet_placed on platform.bet (placed_at, bet_id);

create table platform.selection (
  bet_id      uuid not null,
  number      integer not null,
  event_id    text not null,
  outcome_id  text not null,
  coefficient text not null,
  details     json not null,
  primary key (bet_id, number)
);
create index selection_by_event on platform.selection (event_id, bet_id);

create table platform.delivery (
  delivery_id      bigint generated always as identity primary key,
  bet_id           uuid not null,
  number           integer not null,
  partner_id       text not null,
  operation        text not null check (operation in ('place', 'settle', 'unsettle', 'rollback')),
  request_id       uuid not null,
  body             text not null,
  payout           bigint,
  result_type      text,
  status           text not null check (status in ('waiting', 'pending', 'done', 'refused', 'unknown', 'stuck')),
  attempts         integer not null default 0,
  attempts_before  integer not null default 0,
  code             integer,
  error            text,
  decided_at       timestamptz not null,
  first_attempt_at timestamptz,
  due_at           timestamptz not null,
  finished_at      timestamptz,
  unique (bet_id, number)
) with (fillfactor = 80);
comment on table platform.delivery is 'One call to a partner, tried until it is over. waiting: an earlier one of the same bet is not over; pending: due at due_at; a sender moves due_at past its own time-out, so a dead sender''s work becomes due again by itself.';
create index delivery_due on platform.delivery (partner_id, due_at) where status = 'pending';
create index delivery_placing on platform.delivery (due_at) where status = 'pending' and operation = 'place';
create index delivery_to_look_at on platform.delivery (status, delivery_id) where status in ('stuck', 'refused', 'waiting');

create table platform.attempt (
  delivery_id bigint not null,
  number      integer not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  http_status integer,
  outcome     text not null check (outcome in ('accepted', 'refused', 'unknown')),
  code        integer,
  error       text,
  body        text not null,
  primary key (delivery_id, number)
);
