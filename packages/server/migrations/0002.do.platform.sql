-- The platform's tables: the platform calls the partners. One transaction writes a bet's change
-- and the delivery that notifies the partner. Deliveries of one bet are numbered in the order of
-- their decisions.

create schema platform;

create table platform.setting (
  name  text collate "C" primary key,
  value text not null
);
comment on table platform.setting is 'Settings about money, which must be the same in every process.';

create table platform.currency (
  currency text collate "C" primary key,
  scale    smallint not null check (scale >= 0)
);
comment on table platform.currency is
  'The scale of the stored amounts of a currency since its first bet; it never changes.';

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
  'A list, whose first secret signs. Or {key, sealed}: the same list, encrypted with AES-256-GCM and bound to this row.';
comment on column platform.partner.connection is
  'Null: no connection settings. Otherwise a list of one text, which is JSON with headers, ca, certificate and key. Or {key, sealed}: the same list, encrypted as secrets.';

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
  'A user who loaded the frame: the token, the profile from the partner, and the currency of the bets of this session.';
-- Retention deletes tokens by this index, the oldest first (O-6). It contains no session without
-- a token.
create index frame_session_kept on platform.frame_session (created_at, frame_session_id) where token <> '';

-- Events and their totals -----------------------------------------------------------------------

-- Results are accepted before all bets on the event follow them. The process that applies them
-- may die.
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
  'Since this time some bets do not yet follow the results (results_applied < results_version).';
create index event_results_pending on platform.event (results_at) where results_applied < results_version;

create table platform.outcome (
  event_id    text collate "C" not null,
  outcome_id  text collate "C" not null,
  coefficient text,
  result      text check (result in ('won', 'lost', 'refund')),
  primary key (event_id, outcome_id)
);

-- Limits 110 to 112 need these running totals. The transaction that accepts or cancels a bet
-- updates them. A placement costs the same on an event with a million bets as on a new one.
create table platform.outcome_total (
  event_id   text collate "C" not null,
  outcome_id text collate "C" not null,
  currency   text collate "C" not null,
  stake      numeric not null,
  win        numeric not null,
  primary key (event_id, outcome_id, currency)
) with (fillfactor = 50);
comment on table platform.outcome_total is
  'Stakes of the accepted and settled bets on an outcome, and the payouts if they win, in minor units.';

create table platform.event_total (
  event_id text collate "C" primary key,
  bets     bigint not null
) with (fillfactor = 50);
comment on table platform.event_total is
  'The number of accepted and settled bets on an event, in all currencies.';

-- Bets ------------------------------------------------------------------------------------------

-- A bet's row is rewritten when the bet is accepted, decided and acknowledged, together with the
-- other bets of its batch. Half of each page is free, so the rows stay on their page and write no
-- index (HOT).
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
  'status is the platform''s decision. acknowledged_* is the state that the partner acknowledged last. deliveries counts the decided deliveries.';
comment on column platform.bet.token is 'Empty when no call remains to be sent (O-6).';
comment on column platform.bet.taken_back_at is
  'The sum of the result versions of the bet''s events when a request last took its result back. Each version only grows.';
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

-- Each attempt rewrites a delivery's row, so the row is narrow. The sent bytes are in a table of
-- their own and are written once. A claim changes no indexed column, and the row's page has room
-- for it (HOT).
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
  'One call to a partner, repeated until it is finished. waiting: an earlier delivery of the bet is not finished. pending: due at due_at, or in progress (is_claimed). A claim that stays unchanged for a whole lease is due again.';
comment on column platform.delivery.owed_since is
  'Since this time the delivery needs attention: it is stuck, refused as the last delivery of its bet, or repeated after an answer of 400 or after six minutes without an answer (C-5, C-9, W-48). owed_amount is the money that has not moved; a negative amount must be taken back from the player.';
-- The queue of each lane. Rollbacks are claimed apart from results, so they do not wait for the
-- results of a partner that is down (W-15). The index contains the id, because the results of one
-- event are due at one time, and each claim continues after the last one. Only a statement that
-- names the lane can use the index: the number of pending deliveries changes from zero to a
-- million and back between two updates of the statistics.
create index delivery_due on platform.delivery
  (partner_id, (case when status = 'pending' and operation <> 'place' then operation = 'rollback' end), due_at, delivery_id)
  where case when status = 'pending' and operation <> 'place' then operation = 'rollback' end is not null;
-- Placements of a dead process are found by id, from the oldest one of the last search. Entries
-- of finished placements stay until the oldest snapshot has ended, and a search does not read
-- them again.
create index delivery_placing on platform.delivery
  ((case when status = 'pending' and operation = 'place' then delivery_id end))
  where case when status = 'pending' and operation = 'place' then delivery_id end is not null;
-- Declined Place bets are most of the refused deliveries. Only a list of Place bets needs them.
create index delivery_not_done on platform.delivery (status, delivery_id)
  where status <> 'done' and (status <> 'refused' or operation <> 'place');
create index delivery_declined on platform.delivery (delivery_id) where status = 'refused' and operation = 'place';
-- The statement that writes a failure also marks a delivery that needs attention (C-9). The list,
-- its filters and sums have indexes of these deliveries alone. Each index has its own condition.
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
  'The bytes of each delivery, which every attempt sends (C-5). They are written once; a token in them is deleted after the acknowledgement (O-6).';

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
  'Milliseconds for name, connection, TLS, first byte and body; empty for a phase that did not occur (C-18).';

-- A retry of many deliveries (W-16). Each delivery has a state of its own.
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
  'chosen: the given filters. count: the number of selected deliveries before the start. progress_at: the time of the last slice. A retry without finished_at and without progress was interrupted.';
create index retry_by_time on platform.retry (at, retry_id);

create table platform.retry_delivery (
  retry_id    uuid not null,
  delivery_id bigint not null,
  primary key (retry_id, delivery_id)
);
comment on table platform.retry_delivery is 'Deliveries that a retry has sent again.';

-- Feed, keys and users: the wallet's tables of the same names have the explanations ---------------

create table platform.change (
  change_id   bigint generated always as identity primary key,
  size        integer not null check (size > 0),
  at          timestamptz not null,
  events      json not null,
  last_number bigint
);
comment on table platform.change is
  'events is a list of [name, member, …]. last_number is the number of the last event, and null until it is numbered. change_id only orders rows that are numbered together.';
create index change_to_number on platform.change (change_id) where last_number is null;
create unique index change_by_number on platform.change (last_number) where last_number is not null;

create table platform.feed_counter (
  only_row    boolean primary key default true check (only_row),
  last_number bigint not null
);
comment on table platform.feed_counter is
  'The last number of the feed. The process that numbers rows locks this row, so only one process at a time numbers rows.';
insert into platform.feed_counter (last_number) values (0);

create table platform.action (like purser.action, primary key (subject, at, request_id));
comment on table platform.action is 'The same as purser.action, of the platform''s API.';
create index action_by_time on platform.action (at, request_id) where at < 'infinity';

create table platform.api_key (like purser.api_key including all);
comment on table platform.api_key is 'The same as purser.api_key, of the platform''s API.';
comment on column platform.api_key.rights is 'The same as purser.api_key.rights.';
comment on column platform.api_key.used_at is 'The same as purser.api_key.used_at.';
comment on column platform.api_key.scope is 'Null: everything. Otherwise the key reaches only data of this partner.';

create table platform.console_user (like purser.console_user including all);
comment on table platform.console_user is 'The same as purser.console_user, of the platform''s console.';
comment on column platform.console_user.used_at is 'The same as purser.console_user.used_at.';
comment on column platform.console_user.must_change is 'The same as purser.console_user.must_change.';

create table platform.console_session (
  like purser.console_session including all,
  foreign key (person) references platform.console_user
);
comment on table platform.console_session is 'The same as purser.console_session, of the platform''s console.';
comment on column platform.console_session.used_at is 'The same as purser.console_session.used_at.';

create table platform.console_failure (like purser.console_failure including all);
comment on table platform.console_failure is 'The same as purser.console_failure, of the platform''s console.';

create table platform.call_stats (like purser.call_stats including all);
comment on table platform.call_stats is 'The same as purser.call_stats: the calls that this platform made, by partner.';
