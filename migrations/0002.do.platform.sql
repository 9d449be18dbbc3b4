-- The platform's tables: the calling side. One transaction writes a bet's change and the delivery that
-- notifies the partner. Deliveries of one bet are numbered in the order in which they were decided.

create schema platform;

create table platform.setting (
  name  text collate "C" primary key,
  value text not null
);
comment on table platform.setting is 'The settings that decide about money, as every process must have them.';

create table platform.currency (
  currency text collate "C" primary key,
  scale    smallint not null check (scale >= 0)
);
comment on table platform.currency is
  'The scale in which amounts of a currency are stored, since its first bet; it never changes.';

create table platform.limits (
  only_row boolean primary key default true check (only_row),
  limits   json not null
);

create table platform.partner (
  partner_id text collate "C" primary key,
  base_url   text not null,
  secrets    json not null,
  created_at timestamptz not null,
  connection json
);
comment on column platform.partner.secrets is
  'A list, the first of which signs; or {key, sealed}: the same list, encrypted with AES-256-GCM and bound to this row.';
comment on column platform.partner.connection is
  'Null: none. Else a list of one text, which is JSON with headers, ca, certificate and key; or {key, sealed}: the same, encrypted as secrets.';

create table platform.frame_session (
  frame_session_id uuid primary key,
  partner_id       text collate "C" not null,
  token            text not null,
  user_id          text not null,
  operator_user    text,
  currency         text not null,
  profile          json not null,
  created_at       timestamptz not null
);
comment on table platform.frame_session is
  'A user who loaded the frame: the token, and the profile as the partner gave it, with the currency that bets of this session carry.';
-- Retention takes tokens from here (O-6), oldest first. Sessions without a token are not in it.
create index frame_session_kept on platform.frame_session (created_at, frame_session_id) where token <> '';

-- Events and their totals -----------------------------------------------------------------------

-- Results are accepted before all bets on the event follow them. The process that applies them may die.
create table platform.event (
  event_id              text collate "C" primary key,
  status                text not null check (status in ('open', 'suspended', 'withdrawn', 'ended')),
  updated_at            timestamptz not null,
  results_version       bigint not null default 0,
  results_applied       bigint not null default 0,
  results_at            timestamptz,
  results_pending_since timestamptz
);
comment on column platform.event.results_pending_since is
  'While results_applied < results_version: since when not all bets follow.';
create index event_results_pending on platform.event (results_at) where results_applied < results_version;

create table platform.outcome (
  event_id    text collate "C" not null,
  outcome_id  text collate "C" not null,
  coefficient text,
  result      text check (result in ('won', 'lost', 'refund')),
  primary key (event_id, outcome_id)
);

-- Limits 110 to 112 need these running totals: the transaction that accepts or cancels a bet keeps
-- them. A placement costs the same on an event with a million bets as on a new one.
create table platform.outcome_total (
  event_id   text collate "C" not null,
  outcome_id text collate "C" not null,
  currency   text collate "C" not null,
  stake      numeric not null,
  win        numeric not null,
  primary key (event_id, outcome_id, currency)
) with (fillfactor = 50);
comment on table platform.outcome_total is
  'Stakes of the accepted and settled bets on an outcome, and what they pay if they win, in minor units.';

create table platform.event_total (
  event_id text collate "C" primary key,
  bets     bigint not null
) with (fillfactor = 50);
comment on table platform.event_total is
  'The number of accepted and settled bets on an event, in whatever currency.';

-- Bets ------------------------------------------------------------------------------------------

-- A bet's row is rewritten when it is closed, decided and acknowledged, together with its neighbours
-- of one batch. With half of each page free they stay on their own page, and write no index (HOT).
create table platform.bet (
  bet_id            uuid primary key,
  partner_id        text collate "C" not null,
  frame_session_id  uuid not null,
  idempotency_key   text collate "C",
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
  acknowledged_status       text check (acknowledged_status in ('open', 'settled', 'cancelled')),
  acknowledged_payout       bigint,
  acknowledged_result_type  text,
  deliveries        integer not null default 1,
  placed_at         timestamptz not null,
  changed_at        timestamptz not null,
  taken_back_at     bigint,
  check ((status = 'settled') = (payout is not null and result_type is not null))
) with (fillfactor = 50);
comment on table platform.bet is
  'status is what the platform decided; told_* is what the partner has acknowledged last. deliveries counts the deliveries decided.';
comment on column platform.bet.token is 'Empty when nothing is left to send (O-6).';
comment on column platform.bet.taken_back_at is
  'When its result was last taken back by request: the versions of the results of its selections'' events, added up. Each only grows.';
create unique index bet_by_idempotency_key on platform.bet (partner_id, idempotency_key) where idempotency_key is not null;
create index bet_placed on platform.bet (placed_at, bet_id);

create table platform.selection (
  bet_id      uuid not null,
  number      integer not null,
  event_id    text collate "C" not null,
  outcome_id  text collate "C" not null,
  coefficient text not null,
  details     json not null,
  primary key (bet_id, number)
);
create index selection_by_event on platform.selection (event_id, bet_id);

-- Deliveries ------------------------------------------------------------------------------------

-- Each attempt rewrites a delivery's row, so it is narrow: the bytes that are sent are written once,
-- apart. A claim changes no column of an index, and finds room on the row's own page (HOT).
create table platform.delivery (
  delivery_id      bigint generated always as identity primary key,
  bet_id           uuid not null,
  number           integer not null,
  partner_id       text collate "C" not null,
  operation        text collate "C" not null check (operation in ('place', 'settle', 'unsettle', 'rollback')),
  request_id       uuid not null,
  payout           bigint,
  result_type      text,
  status           text collate "C" not null
    check (status in ('waiting', 'pending', 'done', 'refused', 'unknown', 'stuck')),
  attempts         integer not null default 0,
  attempts_before  integer not null default 0,
  code             integer,
  error            text,
  decided_at       timestamptz not null,
  first_attempt_at timestamptz,
  due_at           timestamptz not null,
  finished_at      timestamptz,
  owed_since       timestamptz,
  owed_amount      numeric,
  owed_currency    text collate "C",
  is_claimed       boolean not null default false,
  unique (bet_id, number)
) with (fillfactor = 50);
comment on table platform.delivery is
  'One call to a partner, tried until it is over. waiting: an earlier one of the same bet is not over; pending: due at due_at, or on its way (is_claimed), and due again when a process has watched that claim unchanged for a whole lease.';
comment on column platform.delivery.owed_since is
  'Since when it needs a person: stuck, refused with no later delivery of its bet, or tried again after an answer of 400 or after six minutes without any (C-5, C-9, W-48). owed_amount is the money that has not moved: below zero it is to be taken back from the player.';
-- The queue of each lane: rollbacks are claimed apart from results, and do not wait behind those of a
-- partner that is down (W-15). The id is in it, because a slice of results is due at one time, and
-- each claim continues after the last one. Only a statement that names the lane can use the index:
-- the pending ones go from nothing to a million and back between two looks of the statistics.
create index delivery_due on platform.delivery
  (partner_id, (case when status = 'pending' and operation <> 'place' then operation = 'rollback' end), due_at, delivery_id)
  where case when status = 'pending' and operation <> 'place' then operation = 'rollback' end is not null;
-- Placements whose process died are looked for by id, from the oldest one that was seen last. Entries
-- of those that are over stay until the oldest snapshot has ended, and are not passed at every look.
create index delivery_placing on platform.delivery
  ((case when status = 'pending' and operation = 'place' then delivery_id end))
  where case when status = 'pending' and operation = 'place' then delivery_id end is not null;
-- Declined Place bets are most of what is refused. Only a list of Place bets needs them.
create index delivery_not_done on platform.delivery (status, delivery_id)
  where status <> 'done' and (status <> 'refused' or operation <> 'place');
create index delivery_declined on platform.delivery (delivery_id) where status = 'refused' and operation = 'place';
-- A delivery that needs a person (C-9) is marked by the statement that writes the failure. A list, its
-- filters and sums have indexes without the others. Each states a condition of its own.
create index delivery_owed on platform.delivery (owed_since, delivery_id) where owed_since < 'infinity';
create index delivery_owed_by_partner on platform.delivery (partner_id, owed_since, delivery_id)
  where owed_since > '-infinity' and partner_id is not null;
create index delivery_owed_by_status on platform.delivery (status, owed_since, delivery_id)
  where owed_since > '-infinity' and status is not null;
create index delivery_owed_by_operation on platform.delivery (operation, owed_since, delivery_id)
  where owed_since > '-infinity' and operation is not null;
create index delivery_owed_by_code on platform.delivery (code, owed_since, delivery_id)
  where owed_since > '-infinity' and code is not null;
create index delivery_owed_sums on platform.delivery (owed_currency, status) include (owed_amount) where owed_amount is not null;

create table platform.message (
  delivery_id bigint primary key,
  body        text not null
);
comment on table platform.message is
  'The bytes of each delivery, which every attempt sends (C-5). Written once; a token in them goes when they were acknowledged (O-6).';

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
  phases      text,
  primary key (delivery_id, number)
);
comment on column platform.attempt.phases is
  'Milliseconds: name, connection, TLS, first byte, body; nothing where there was none (C-18).';

-- A retry of many deliveries (W-16). The state of each delivery is its own.
create table platform.retry (
  retry_id    uuid primary key,
  at          timestamptz not null,
  key_name    text not null,
  person      text,
  chosen      json not null,
  count       integer not null,
  still_retrying integer not null,
  taken       integer not null default 0,
  progress_at timestamptz not null,
  finished_at timestamptz
);
comment on table platform.retry is
  'chosen: the filters as they were given. count: how many they chose before it began. progress_at: of its last slice; one without finished_at and without progress was cut short.';
create index retry_by_time on platform.retry (at, retry_id);

create table platform.retry_delivery (
  retry_id    uuid not null,
  delivery_id bigint not null,
  primary key (retry_id, delivery_id)
);
comment on table platform.retry_delivery is 'Deliveries that a retry has sent again.';

-- The feed, keys and people: the wallet's tables of these names say what they are for -------------

create table platform.change (
  change_id   bigint generated always as identity primary key,
  size        integer not null check (size > 0),
  at          timestamptz not null,
  events      json not null,
  last_number bigint
);
comment on table platform.change is
  'events: a list of [name, member, …]. last_number is the number of the last of them, null until it is numbered; change_id only orders what is numbered together.';
create index change_to_number on platform.change (change_id) where last_number is null;
create unique index change_by_number on platform.change (last_number) where last_number is not null;

create table platform.feed_counter (
  only_row    boolean primary key default true check (only_row),
  last_number bigint not null
);
comment on table platform.feed_counter is
  'The last number given. Whoever numbers holds the row, so that one process at a time does.';
insert into platform.feed_counter (last_number) values (0);

create table platform.action (like purser.action, primary key (subject, at, request_id));
comment on table platform.action is 'As purser.action, of the platform''s API.';
create index action_by_time on platform.action (at, request_id) where at < 'infinity';

create table platform.api_key (like purser.api_key including all);
comment on table platform.api_key is 'As purser.api_key, of the platform''s API.';
comment on column platform.api_key.rights is 'As purser.api_key.rights.';
comment on column platform.api_key.used_at is 'As purser.api_key.used_at.';
comment on column platform.api_key.scope is 'Null: all. Else only what belongs to this partner.';

create table platform.console_user (like purser.console_user including all);
comment on table platform.console_user is 'As purser.console_user, of the platform''s console.';
comment on column platform.console_user.used_at is 'As purser.console_user.used_at.';
comment on column platform.console_user.must_change is 'As purser.console_user.must_change.';

create table platform.console_session (
  like purser.console_session including all,
  foreign key (person) references platform.console_user
);
comment on table platform.console_session is 'As purser.console_session, of the platform''s console.';
comment on column platform.console_session.used_at is 'As purser.console_session.used_at.';

create table platform.console_failure (like purser.console_failure including all);
comment on table platform.console_failure is 'As purser.console_failure, of the platform''s console.';

create table platform.call_stats (like purser.call_stats including all);
comment on table platform.call_stats is 'As purser.call_stats: the calls that this platform made, by partner.';
