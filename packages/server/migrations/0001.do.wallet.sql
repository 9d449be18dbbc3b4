-- The wallet's tables, and the tables that wallet, platform and gateway share. These rules hold
-- for tables (docs/internals/decisions/):
--   * The primary key of every table of money begins with bucket = hash(player) mod N, so that
--     Citus can distribute the same schema by bucket.
--   * Only primary keys begin with bucket. On a table without statistics the planner takes any
--     index on bucket, with bucket alone.
--   * Every foreign key and unique constraint contains the bucket, and no trigger exists.
--   * Ids are compared byte by byte (collate "C"), exactly as received (I-7). An update of a
--     locale library cannot break such an index.
--   * A list states the always true condition of its index, and no other statement does.
--     Statistics therefore choose no other index for it, and lookups by primary key find only
--     the key.
-- CHECKs are a second fence after the rules in packages/server/src/wallet/rules.

create table purser.setting (
  name  text collate "C" primary key,
  value text not null
);
comment on table purser.setting is
  'Settings that are fixed when the database is created (the number of buckets), and settings about money, which must be the same in every process.';

create table purser.currency (
  currency text collate "C" primary key,
  scale    smallint not null
);
comment on table purser.currency is
  'The scale of the stored amounts of a currency. The first account in the currency records it, and it cannot change.';

-- Players ---------------------------------------------------------------------------------------

create table purser.player (
  bucket              integer not null,
  player              text collate "C" not null,
  currency            text collate "C" not null,
  currencies          text[] not null,
  status              text not null default 'active' check (status in ('active', 'blocked')),
  is_test             boolean,
  operator_user       text,
  custom_fields       json,
  self_excluded_until timestamptz,
  verified            boolean,
  birthday            text,
  limits              json not null default '{}',
  created_as          json not null,
  created_at          timestamptz not null,
  unrestricted_as            text,
  nickname_key        text collate "C",
  email_key           text collate "C",
  brand               text collate "C",
  waiting             json,
  primary key (bucket, player),
  check (currency = any (currencies))
);
comment on column purser.player.created_as is
  'The request that created the player. A repeat of this request is recognised by it, whatever has changed since.';
comment on column purser.player.unrestricted_as is
  'The status, verification and limits with which the rules found no restriction for this player''s bets.';
comment on column purser.player.nickname_key is 'customFields.nickname in lower case, for the search; email_key likewise.';
comment on column purser.player.brand is 'The site on which the player registered, for reports; it never changes.';
comment on column purser.player.waiting is
  'Changes that wait for hours or for a second user, by member: {"limits.stake": {"value", "askedAt", "key", "person", "from", "until"}}. Null if no change waits.';
create index player_by_operator_user on purser.player (operator_user collate "C", player) where operator_user is not null;
create index player_by_nickname on purser.player (nickname_key, player) where nickname_key is not null;
create index player_by_email on purser.player (email_key, player) where email_key is not null;
create index player_barred on purser.player (player) where status = 'blocked' or self_excluded_until is not null;
create index player_by_brand on purser.player (brand, player) where brand is not null;

create table purser.session (
  bucket     integer not null,
  token_hash text collate "C" not null,
  player     text collate "C" not null,
  currency   text collate "C" not null,
  ip         text,
  country    text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at   timestamptz,
  primary key (bucket, token_hash)
);
comment on column purser.session.token_hash is
  'SHA-256 of the token, base64url. The token itself is not stored, and its bucket equals its player''s bucket.';
-- The planner would choose an index with the bucket in any place on an analysed table without
-- rows.
create index session_of_player on purser.session (player);
create index session_by_player on purser.session (player, created_at, token_hash, bucket) where created_at > '-infinity';

-- Money -----------------------------------------------------------------------------------------

create table purser.account (
  bucket          integer not null,
  player          text collate "C" not null,
  currency        text collate "C" not null,
  balance         bigint not null,
  version         bigint not null check (version >= 0),
  day             date not null,
  opening_version bigint not null check (opening_version between 0 and version),
  primary key (bucket, player, currency)
) with (fillfactor = 80);
comment on table purser.account is
  'Balance of a player in one currency, in minor units, after transfer number version; opening_version is the last transfer before day (UTC).';

create table purser.transfer (
  bucket        integer not null,
  player        text collate "C" not null,
  currency      text collate "C" not null,
  version       bigint not null check (version > 0),
  kind          text collate "C" not null,
  debit         text not null check (
    debit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments', 'openings')),
  credit        text not null check (
    credit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out', 'adjustments', 'openings')),
  amount        bigint not null,
  balance_after bigint not null,
  bet_id        text collate "C",
  request_id    text collate "C",
  reference     text collate "C",
  at            timestamptz not null,
  platform      text collate "C" not null default '',
  site          text collate "C" not null default '',
  primary key (bucket, player, currency, version),
  check (debit <> credit),
  check (amount > 0 or (amount = 0 and kind in ('stake', 'refund'))),
  check (balance_after >= 0 or debit <> 'player' or kind = 'payout_reversal')
);
comment on table purser.transfer is
  'Immutable double entry: amount leaves debit and reaches credit. version numbers the transfers of one player and currency without gaps. Accounts other than player are per bucket and currency and are summed, never stored.';
-- The transfers of a day are neighbours, so this index of a few pages finds them. A new row costs
-- the index almost nothing.
create index transfer_by_day on purser.transfer using brin (at) with (pages_per_range = 64, autosummarize = on);
-- The index contains only the kinds that are few in comparison with stakes and results.
-- transfer_by_day finds stakes and results, so no Place bet and no lost bet writes here.
create index transfer_by_kind on purser.transfer (kind, at, player, currency, version)
  where kind in ('deposit', 'withdrawal', 'adjustment', 'opening', 'refund', 'payout_reversal');

create table purser.cash_movement (
  bucket            integer not null,
  player            text collate "C" not null,
  reference         text collate "C" not null,
  kind              text not null check (kind in ('deposit', 'withdrawal', 'adjustment', 'opening')),
  currency          text collate "C" not null,
  amount            bigint not null
    constraint cash_movement_amount_check check (amount > 0 or (kind = 'adjustment' and amount < 0)),
  version           bigint not null,
  balance_after     bigint not null,
  despite_exclusion boolean not null default false check (kind = 'deposit' or not despite_exclusion),
  reason            text,
  person            text,
  ticket            text,
  bet_id            text collate "C",
  approved_by       text check (approved_by is null or kind = 'adjustment'),
  primary key (bucket, player, reference),
  constraint cash_movement_adjustment_check check (
    case kind when 'adjustment' then reason is not null and person is not null
      else coalesce(reason, person, ticket, bet_id) is null end)
);
comment on table purser.cash_movement is
  'Deposits, withdrawals, adjustments and opening balances by the operator''s reference. A repeated reference is answered from this table. The amount of an adjustment is signed; bet_id is the bet that it corrects.';
comment on column purser.cash_movement.approved_by is 'The user who approved an adjustment above the limit (W-27).';
-- A support agent pastes the id of a payment, without its player.
create index movement_by_reference on purser.cash_movement (reference, player);
-- A user sees the earlier adjustments for a bet before paying again (O-2).
create index movement_by_bet on purser.cash_movement (player, bet_id, bucket) where bet_id is not null;

create table purser.proposal (
  bucket         integer not null,
  player         text collate "C" not null,
  reference      text collate "C" not null,
  currency       text collate "C" not null,
  amount         bigint not null check (amount <> 0),
  reason         text not null,
  ticket         text,
  bet_id         text collate "C",
  key_name       text not null,
  person         text not null,
  proposed_at    timestamptz not null,
  expires_at     timestamptz not null,
  status         text collate "C" not null default 'pending' check (status in ('pending', 'approved', 'refused')),
  decided_key    text,
  decided_person text,
  decided_at     timestamptz,
  primary key (bucket, player, reference),
  check (case status when 'pending' then coalesce(decided_key, decided_person) is null and decided_at is null
    else decided_key is not null and decided_person is not null and decided_at is not null end),
  check (status <> 'approved' or decided_key <> key_name)
);
comment on table purser.proposal is
  'Adjustments that need a second user. person and decided_person are the names in the requests, or the names of the keys. The amount is signed.';
create index proposal_by_time on purser.proposal (proposed_at, player, reference) where proposed_at < 'infinity';
create index proposal_by_status on purser.proposal (status, proposed_at, player, reference);
-- An approved proposal is a movement with the same reference, which has an index of its own.
create index proposal_by_reference on purser.proposal (reference, player) where status <> 'approved';
create index proposal_waiting on purser.proposal (player, expires_at, bucket) where status = 'pending';

-- Many small adjustments are as much money as one large one, so they are added up (W-27).
create table purser.adjusted_sum (
  key_name text collate "C" not null,
  day      date not null,
  currency text collate "C" not null,
  amount   bigint not null check (amount >= 0),
  primary key (key_name, day, currency)
);
comment on table purser.adjusted_sum is
  'Sums of the adjustments that needed no second user, without their signs, by key, UTC day and currency.';

-- Bets ------------------------------------------------------------------------------------------

-- The key has the bet id before the player, because a bet is also found by its id alone. Each
-- page has free space for the next states of its rows, so a result changes no index.
create table purser.bet (
  bucket                  integer not null,
  player                  text collate "C" not null,
  bet_id                  text collate "C" not null,
  status                  text not null check (status in ('unknown', 'open', 'settled', 'cancelled', 'refused')),
  calls                   integer not null check (calls > 0),
  currency                text collate "C",
  stake                   bigint check (stake >= 0),
  funder                  text check (funder in ('player', 'promotions')),
  stake_version           bigint,
  request_id              text collate "C",
  placed_at               timestamptz,
  payout                  bigint check (payout >= 0),
  result_type             text check (result_type in ('won', 'lost', 'refund', 'cashout')),
  payee                   text check (payee in ('player', 'promotions')),
  refusal                 text,
  locked                  boolean not null default false,
  first_seen_at           timestamptz not null,
  changed_at              timestamptz not null,
  last_result             integer not null default 0,
  rare_status             text collate "C"
    generated always as (case when status in ('unknown', 'cancelled', 'refused') then status end) stored,
  platform                text collate "C" not null default '',
  archived_to_player      bigint,
  archived_to_promotions  bigint,
  archived_to_open_stakes bigint,
  site                    text collate "C" not null default '',
  odds_payout             bigint check (odds_payout >= 0),
  primary key (bucket, bet_id, player),
  check (status not in ('open', 'settled')
    or (stake is not null and currency is not null and funder is not null and placed_at is not null)),
  check ((status = 'settled') = (payout is not null and result_type is not null and payee is not null)),
  check ((status = 'refused') = (refusal is not null))
) with (fillfactor = 45);
comment on table purser.bet is
  'One row for each bet id that a call has named. calls is the number of calls and the version of the row. changed_at is the effect time of the last applied operation.';
comment on column purser.bet.last_result is
  'Number of the call whose result (Settle, Unsettle) was applied last; 0 if no result was applied.';
comment on column purser.bet.rare_status is
  'The status, for an index of the statuses that few bets have. Null for open and settled.';
comment on column purser.bet.platform is
  'The platform whose secret signed the first call about the bet. bet_id is the sent id, followed by @ and this name if another platform''s bet of the player already has the id.';
comment on column purser.bet.archived_to_player is
  'Sum of the bet''s transfers in archive files; null if no transfer is archived. The next two columns are null for 0.';
comment on column purser.bet.site is 'The beginning of the subPartnerId of the Place bet; bet_details contains the whole value.';
comment on column purser.bet.odds_payout is
  'Stake × coefficient × boosterCoefficient in minor units, rounded down. Null if the Place bet has no coefficient of 1 or more.';
-- Each index on the bets costs every bet. A settlement changes no column of these indexes, so its
-- new row can stay in the page of the old one. The few bets of a rare status therefore have a
-- column.
create index bet_by_time on purser.bet (first_seen_at, bucket) where first_seen_at < 'infinity';
create index bet_by_player on purser.bet (player, first_seen_at, bucket) where first_seen_at > '-infinity';
create index bet_rare on purser.bet (rare_status, first_seen_at, bucket)
  where rare_status is not null and first_seen_at < 'infinity';
create index bet_rare_of_player on purser.bet (player, rare_status, first_seen_at, bucket)
  where rare_status is not null and first_seen_at > '-infinity';
-- This index costs nothing in a wallet with one platform, which has no name (W-43).
create index bet_by_platform on purser.bet (platform, first_seen_at, bucket) where platform <> '';

create table purser.bet_call (
  bucket      integer not null,
  player      text collate "C" not null,
  bet_id      text collate "C" not null,
  seq         integer not null check (seq > 0),
  operation   text collate "C" not null check (operation in ('place', 'settle', 'unsettle', 'rollback')),
  request_id  text collate "C" not null,
  amount      bigint,
  currency    text collate "C",
  result_type text,
  reason      integer,
  outcome     text not null check (outcome in ('applied', 'repeated', 'refused')),
  refusal     text,
  anomaly     text,
  transfers   bigint[] not null,
  effect_at   timestamptz,
  at          timestamptz not null,
  primary key (bucket, player, bet_id, seq)
);
comment on table purser.bet_call is
  'Every call about a bet, except the accepted Place bet, which is the row of the bet. An accepted Place bet that is an anomaly is also here, without its transfer. effect_at is the answered time; transfers are versions of purser.transfer.';
create index bet_call_anomaly on purser.bet_call (at, bucket) where anomaly is not null;
-- This index finds the late copy of a refused result (I-2), and a Place bet's bytes with PUT
-- (S-5), by the requestId.
create index bet_call_refused on purser.bet_call (player, bet_id, request_id, operation, seq)
  where operation = 'place' or refusal in ('recalculation_blocked', 'recalculation_negative');
-- The primary key finds late copies of a result among a bet's first calls. This index finds them
-- among its many later calls. A usual result, a bet's second call, writes into the primary key
-- only.
create index bet_call_late on purser.bet_call (player, bet_id, request_id)
  where operation in ('settle', 'unsettle') and outcome <> 'refused' and seq > 16;

-- Odds and selections are most of the bytes of a bet. They are written once, apart from the
-- state, which every call rewrites. The key begins with the time, so that new bets change few
-- pages.
create table purser.bet_details (
  bucket        integer not null,
  first_seen_at timestamptz not null,
  bet_id        text collate "C" not null,
  player        text collate "C" not null,
  details       json not null,
  primary key (bucket, first_seen_at, bet_id, player)
);
comment on table purser.bet_details is
  'The description of a placed bet, found by first_seen_at of its row in purser.bet. Append-only.';

-- The table finds the bets of an event (W-44). One row stands for all bets of a batch, and its
-- time leads to their details. It names no player, so a batch of many bets on one event costs one
-- row.
create table purser.bet_event (
  bucket        integer not null,
  event_id      text collate "C" not null,
  first_seen_at timestamptz not null
);
-- Every Place bet adds rows, which stay, and the same row can occur twice. A key would cost each
-- call an index. Without an identity, a publication for all tables would refuse updates and
-- deletes.
alter table purser.bet_event replica identity full;
comment on table purser.bet_event is
  'At this time some bets on the event have their details (purser.bet_details). A time can occur twice. Append-only.';
create index bet_event_by_event on purser.bet_event (event_id, first_seen_at, bucket);

-- A statement whose COMMIT has already been sent calls this function when it has written fewer
-- rows than it was given.
create function purser.raise_stale_row(what text) returns int language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% has moved on since it was read', what using errcode = 'PU001';
end
$$;
-- Every role may call a new function. Each server gets only the rights that it needs.
revoke all on function purser.raise_stale_row(text) from public;

-- Archive and reports ---------------------------------------------------------------------------

-- `purser archive` moves transfers to files (O-13). These tables keep the balance from which an
-- account continues, and the sums that audits need.
create table purser.archive (
  file      text collate "C" primary key,
  before    timestamptz not null,
  made_at   timestamptz not null,
  accounts  integer not null check (accounts > 0),
  transfers bigint not null check (transfers > 0)
);
comment on table purser.archive is
  'The archive files. The name of each file contains the SHA-256 of its bytes. Only the owner writes this table and the next two.';

create table purser.carried_balance (
  bucket   integer not null,
  player   text collate "C" not null,
  currency text collate "C" not null,
  version  bigint not null check (version > 0),
  balance  bigint not null,
  at       timestamptz not null,
  file     text collate "C" not null,
  place    integer not null check (place > 0),
  primary key (bucket, player, currency, version)
);
comment on table purser.carried_balance is
  'The account''s transfers up to version are in files. The transfers since the previous row are in this file, at this place. balance and at belong to transfer version.';
create index carried_balance_by_file on purser.carried_balance (file, place);

create table purser.archived_sum (
  day       date not null,
  currency  text collate "C" not null,
  brand     text collate "C" not null,
  kind      text collate "C" not null,
  debit     text collate "C" not null,
  credit    text collate "C" not null,
  platform  text collate "C" not null,
  transfers bigint not null check (transfers > 0),
  amount    numeric not null check (amount >= 0),
  site      text collate "C" not null default '',
  primary key (day, currency, brand, kind, debit, credit, platform, site)
);
comment on table purser.archived_sum is 'The same as purser.daily_sum, for the transfers in files.';

create table purser.daily_close (
  day     date primary key,
  closed_at timestamptz not null
);
comment on table purser.daily_close is 'Days (UTC) whose sums are stored, without gaps since the first one.';

-- The table makes the cost of a report follow its length. Rows are only added.
create table purser.daily_sum (
  day       date not null,
  currency  text collate "C" not null,
  brand     text collate "C" not null,
  kind      text collate "C" not null,
  debit     text collate "C" not null,
  credit    text collate "C" not null,
  transfers bigint not null check (transfers > 0),
  amount    numeric not null check (amount >= 0),
  platform  text collate "C" not null default '',
  site      text collate "C" not null,
  primary key (day, currency, brand, kind, debit, credit, platform, site)
);
comment on table purser.daily_sum is
  'Sums of purser.transfer, in minor units. brand is the player''s brand; platform and site are the bet''s. Each is empty if there is none.';

-- Feed and webhooks -----------------------------------------------------------------------------

-- The feed of changes has one order for all readers, without gaps and duplicates. The transaction
-- of a change writes a row here. The first reader numbers the committed rows
-- (packages/server/src/core/change-feed). A row that commits late gets the next number, so no row is
-- skipped.
create table purser.change (
  bucket      integer not null,
  change_id   bigint generated always as identity,
  size        integer not null check (size > 0),
  at          timestamptz not null,
  events      json not null,
  last_number bigint,
  primary key (change_id, bucket)
);
-- Compression of a batch costs the calls more than its bytes.
alter table purser.change alter column events set storage external;
comment on table purser.change is
  'events is a list of [name, member, …]; an event with a balance is sent as two (packages/server/src/wallet/store/wallet-changes.ts). last_number is the number of the last event, and null until it is numbered. change_id only orders rows that are numbered together.';
create index change_to_number on purser.change (change_id) where last_number is null;
create unique index change_by_number on purser.change (last_number, bucket) where last_number is not null;

create table purser.feed_counter (
  only_row    boolean primary key default true check (only_row),
  last_number bigint not null
);
comment on table purser.feed_counter is
  'The last number of the feed. The process that numbers rows locks this row, so only one process at a time numbers rows.';
insert into purser.feed_counter (last_number) values (0);

-- One process at a time delivers to a webhook: it holds the claim, and increments `beat` while it
-- lives. A removed row stays, so that no server needs the right to delete.
create table purser.webhook (
  webhook_id    text collate "C" primary key,
  url           text not null,
  events        text[] not null,
  secrets       json not null,
  old_until     timestamptz,
  state         text not null check (state in ('active', 'disabled', 'removed')),
  acknowledged_to       bigint not null,
  failing_since timestamptz,
  last_error    text,
  claim         uuid,
  beat          bigint not null default 0,
  made_at       timestamptz not null,
  last_attempts json not null default '[]',
  connection    json
);
comment on table purser.webhook is
  'events: their names; empty for all events. secrets: encrypted (O-5); after old_until only the first one signs. acknowledged_to: the id up to which all events are acknowledged.';
comment on column purser.webhook.connection is 'The same as platform.partner.connection.';

-- Keys, users and their actions -----------------------------------------------------------------

-- Each server has its own tables for keys and users, so that the role of one server neither reads
-- nor forges the rows of another.

-- Every change through our own APIs is written in the transaction of the change, and never
-- altered (O-4).
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
  reason     text,
  primary key (subject, at, request_id)
);
comment on table purser.action is
  'Changes through the wallet''s own API, append-only. subject is the first of ids, by which the log is searched. before and after contain the change, with masked secrets. key_hash is the beginning of the key''s SHA-256.';
create index action_by_time on purser.action (at, request_id) where at < 'infinity';
create index action_history on purser.action (subject, at, request_id)
  where operation in ('createPlayer', 'changePlayer', 'lockBet', 'unlockBet');
create index action_openings on purser.action (subject, at, request_id) where operation = 'openPersonalData';

-- The key itself is not stored. number counts the keys of a name, and a name is never given to
-- another key.
create table purser.api_key (
  name    text collate "C" not null,
  number  integer not null,
  role    text not null check (role in ('read', 'support', 'cash', 'admin')),
  hash    bytea not null unique check (octet_length(hash) = 32),
  made_at timestamptz not null,
  ends_at timestamptz not null default 'infinity',
  rights  text[] check (cardinality(rights) > 0),
  used_at timestamptz,
  scope   text,
  primary key (name, number)
);
comment on table purser.api_key is
  'Keys of the wallet''s own API, as SHA-256. A rotated key has several numbers. Each number is valid until its ends_at, by the database''s clock.';
comment on column purser.api_key.rights is 'Null: all rights of the role. Otherwise the key has only these rights.';
comment on column purser.api_key.used_at is 'Last use, to the minute; null if no use is known.';
comment on column purser.api_key.scope is 'Null: everything. Otherwise the key reaches only data of this brand.';
create index api_key_by_time on purser.api_key (made_at, name, number);
create index api_key_by_end on purser.api_key (ends_at);

create table purser.console_user (
  name            text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  role            text not null check (role in ('read', 'support', 'cash', 'admin')),
  password        text not null,
  password_at     timestamptz not null,
  made_at         timestamptz not null,
  ends_at         timestamptz not null default 'infinity',
  password_number integer not null default 1 check (password_number > 0),
  used_at         timestamptz,
  must_change     boolean not null default false
);
comment on table purser.console_user is
  'Users who may sign in to the console by name. password is scrypt$N$r$p$salt$hash.';
comment on column purser.console_user.used_at is
  'Last use of a session or sign-in, to the minute; null if no use is known.';
comment on column purser.console_user.must_change is
  'Another user has set the password, so a session may only change it.';

-- A session belongs to a key or to a user, and ends with it. A user's session also belongs to one
-- password, by number and not by time (U-4). A sign-in during a change of password therefore ends
-- with the old password.
create table purser.console_session (
  hash            bytea primary key check (octet_length(hash) = 32),
  key_hash        bytea check (octet_length(key_hash) = 32),
  made_at         timestamptz not null,
  ends_at         timestamptz not null,
  person          text collate "C" references purser.console_user,
  password_number integer,
  used_at         timestamptz not null default statement_timestamp(),
  constraint console_session_is_of_one check (num_nonnulls(key_hash, person) = 1)
);
comment on table purser.console_session is
  'Sessions of the console, as SHA-256 of their tokens. key_hash identifies the key whose role the session has.';
comment on column purser.console_session.used_at is 'Last request of an active user, to the minute.';

-- Wrong passwords are counted by name and address, so an attacker at another address does not
-- lock out the owner of a name (U-4).
create table purser.console_failure (
  name         text collate "C" not null,
  address      text collate "C" not null,
  failures     integer not null check (failures >= 0),
  locked_until timestamptz not null default '-infinity',
  failed_at    timestamptz not null,
  primary key (name, address)
);
comment on table purser.console_failure is
  'Wrong passwords of a name since the last right one, by address (the /64, in IPv6). At locked_until the address may try the name again.';
create index console_failure_by_time on purser.console_failure (failed_at);

-- Calls and the conformance kit -----------------------------------------------------------------

-- The slots are reused in turn, so that the table never grows. A reused slot begins with zero.
create table purser.call_stats (
  slot      smallint not null check (slot >= 0),
  name      text collate "C" not null,
  minute    timestamptz not null,
  accepted  bigint not null,
  refused   bigint not null,
  failed    bigint not null,
  durations bigint[] not null,
  primary key (slot, name)
);
comment on table purser.call_stats is
  'Calls of the wire by minute. name is the platform whose secret verified the calls, empty for the platform without a name, ? for calls that no secret verified. durations counts calls by duration. Slots are reused in turn; only the last hour is read.';

create table purser.conformance_run (
  run_id     uuid primary key,
  started_at timestamptz not null,
  started_by text not null,
  state      text collate "C" not null default 'running' check (state in ('running', 'ended', 'failed')),
  seen_at    timestamptz not null,
  ended_at   timestamptz,
  is_good    boolean,
  why        text,
  cases      json not null,
  results    json not null default '[]',
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'ended') = (is_good is not null)),
  check ((state = 'failed') = (why is not null))
);
comment on table purser.conformance_run is
  'seen_at is the last heartbeat of the process that runs it. cases is the catalogue at the start. results has the result of each case, without the sent bytes. One run at a time is in progress.';
create unique index conformance_run_one on purser.conformance_run ((true)) where state = 'running';
create index conformance_run_by_time on purser.conformance_run (started_at, run_id);

-- The journal of calls has one row for some hundred calls (W-30). A row and three index entries
-- for each call would cost a quarter of the call itself. A search finds the chunks by their keys.
-- A partition contains one day (UTC) and is dropped whole.
create table purser.journal (
  at      timestamptz not null,
  chunk   uuid not null,
  since   timestamptz not null,
  calls   int not null,
  slowest real not null,
  keys    int[] not null,
  bytes   bytea not null,
  primary key (at, chunk)
) partition by range (at);
-- Hashes and compressed bytes cannot be compressed further.
alter table purser.journal alter column keys set storage external, alter column bytes set storage external;
comment on table purser.journal is
  'Calls of the wire as received and answered, of the newest days, some hundred in a row. at is the time of the last answer of the row, since of the first byte. slowest is in milliseconds. keys are hashes for the search (players, bets, requests, operations, outcomes, codes). bytes are the calls, compressed by brotli after a byte 1. Tokens in bodies are masked (beginning and hash). GET /operator/calls reads the table.';

-- The journal is evidence, so the role of a server cannot choose which days are dropped (W-30).
-- The database's clock decides the day, and only the owner can change the number of days.
create table purser.journal_retention (
  schema text collate "C" primary key,
  days   int
);
comment on table purser.journal_retention is
  'Days for which each journal of calls is kept (W-30): PURSER_JOURNAL_DAYS of the owner''s last purser migrate or server start. 0: no day; null: not yet set.';
insert into purser.journal_retention (schema) values ('purser');
-- Default privileges can give a role rights on all new tables. Only the owner may change this
-- table.
do $$
declare
  grantee regrole;
begin
  for grantee in
    select distinct a.grantee from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
    where c.oid = 'purser.journal_retention'::regclass and a.grantee not in (0, c.relowner)
  loop
    execute format('revoke all on purser.journal_retention from %s', grantee);
  end loop;
end $$;

-- The servers may not create or drop tables, so these functions of the owner do it. They create
-- the partitions of yesterday, today and tomorrow. They drop days older than `keep`, by the
-- earlier clock of the two. With `keep` 0 all days are dropped and none is created; a negative
-- number counts as 1. pg_temp is last in the path: otherwise a role could put its own pg_class
-- first.
create function purser.rotate_journal_of(of name, today date, keep int) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  day date;
  old record;
  grantee regrole;
begin
  perform pg_advisory_xact_lock(hashtext(of || '.journal'));
  for day in select today + n from generate_series(-1, 1) n where keep <> 0 loop
    execute format('create table if not exists %I.%I partition of %I.journal for values from (%L) to (%L)',
      of, 'journal_' || to_char(day, 'YYYYMMDD'), of, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    -- Default privileges would give a role too much here: rights on the whole table are enough.
    for grantee in
      select distinct a.grantee from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
      where c.oid = format('%I.%I', of, 'journal_' || to_char(day, 'YYYYMMDD'))::regclass and a.grantee not in (0, c.relowner)
    loop
      execute format('revoke all on %I.%I from %s', of, 'journal_' || to_char(day, 'YYYYMMDD'), grantee);
    end loop;
  end loop;
  for old in
    select c.relname as name from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('%I.journal', of)::regclass
      and (keep = 0 or c.relname < 'journal_' || to_char(least(today, (now() at time zone 'UTC')::date) - greatest(keep, 1), 'YYYYMMDD'))
  loop
    execute format('drop table %I.%I', of, old.name);
  end loop;
end $$;
create function purser.rotate_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('purser', (now() at time zone 'UTC')::date, coalesce(r.days, 36500))
  from purser.journal_retention r where r.schema = 'purser';
end;
-- A server that keeps more days than the owner has set uses this function, which drops nothing.
create function purser.prepare_journal() returns void language sql security definer set search_path = pg_catalog, pg_temp begin atomic;
  select purser.rotate_journal_of('purser', (now() at time zone 'UTC')::date, 36500);
end;
revoke execute on function purser.rotate_journal_of(name, date, int), purser.rotate_journal(), purser.prepare_journal() from public;
