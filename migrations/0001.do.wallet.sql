-- The wallet's tables. Rules of the house (docs/internals/decisions.md): every table of money starts its primary key with
-- bucket = hash(player) mod N, so that the same schema runs on Citus distributed by bucket; no foreign key or unique
-- constraint without bucket; no trigger. Ids are compared byte by byte (collate "C"): exactly as received (I-7), quickly,
-- and in indexes that no update of a locale library can break. CHECKs are a second fence behind the rules in src/wallet/decide.

create table purser.setting (
  name  text primary key,
  value text not null
);
comment on table purser.setting is 'What is fixed when the database is created: the number of buckets.';

create table purser.currency (
  currency text collate "C" primary key,
  scale    smallint not null
);
comment on table purser.currency is 'The scale in which amounts of a currency are stored, recorded with the first account in it; it cannot change.';

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
  primary key (bucket, player),
  check (currency = any (currencies))
);
comment on column purser.player.created_as is 'What the player was created with, to recognise the same call again whatever has changed since.';

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
comment on column purser.session.token_hash is 'SHA-256 of the token, base64url; the token itself is not stored. Its bucket is its player''s.';
-- Only primary keys begin with bucket: on a table without statistics the planner takes any index on bucket, with bucket alone.
create index session_by_player on purser.session (player, bucket);

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
comment on table purser.account is 'Balance of a player in one currency, in minor units, after transfer number version; opening_version is the last transfer before day (UTC).';

create table purser.transfer (
  bucket        integer not null,
  player        text collate "C" not null,
  currency      text collate "C" not null,
  version       bigint not null check (version > 0),
  kind          text not null,
  debit         text not null,
  credit        text not null,
  amount        bigint not null,
  balance_after bigint not null,
  bet_id        text collate "C",
  request_id    text collate "C",
  reference     text collate "C",
  at            timestamptz not null,
  primary key (bucket, player, currency, version),
  check (debit <> credit),
  check (debit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out')),
  check (credit in ('player', 'open_stakes', 'house', 'promotions', 'cash_in', 'cash_out')),
  check (amount > 0 or (amount = 0 and kind in ('stake', 'refund'))),
  check (balance_after >= 0 or debit <> 'player' or kind = 'payout_reversal')
);
comment on table purser.transfer is 'Immutable double entry: amount leaves debit and reaches credit. version numbers the transfers of one player and currency without gaps. Accounts other than player are per bucket and currency and are summed, never stored.';

create table purser.cash_movement (
  bucket        integer not null,
  player        text collate "C" not null,
  reference     text collate "C" not null,
  kind          text not null check (kind in ('deposit', 'withdrawal')),
  currency      text collate "C" not null,
  amount        bigint not null check (amount > 0),
  version       bigint not null,
  balance_after bigint not null,
  primary key (bucket, player, reference)
);
comment on table purser.cash_movement is 'Deposits and withdrawals by the operator''s reference: the same reference again is answered from here.';

create table purser.bet (
  bucket        integer not null,
  player        text collate "C" not null,
  bet_id        text collate "C" not null,
  status        text not null check (status in ('unknown', 'open', 'settled', 'cancelled', 'refused')),
  calls         integer not null check (calls > 0),
  currency      text collate "C",
  stake         bigint check (stake >= 0),
  funder        text check (funder in ('player', 'promotions')),
  stake_version bigint,
  request_id    text collate "C",
  placed_at     timestamptz,
  payout        bigint check (payout >= 0),
  result_type   text check (result_type in ('won', 'lost', 'refund', 'cashout')),
  payee         text check (payee in ('player', 'promotions')),
  refusal       text,
  locked        boolean not null default false,
  first_seen_at timestamptz not null,
  changed_at    timestamptz not null,
  details       json,
  primary key (bucket, player, bet_id),
  check (status not in ('open', 'settled') or (stake is not null and currency is not null and funder is not null and placed_at is not null)),
  check ((status = 'settled') = (payout is not null and result_type is not null and payee is not null)),
  check ((status = 'refused') = (refusal is not null))
) with (fillfactor = 80);
comment on table purser.bet is 'What the wallet knows of each bet id that was ever named. calls counts the calls and is the version of the row; changed_at is when the last applied operation took effect.';
create index bet_by_time on purser.bet (first_seen_at, bucket);

create table purser.bet_call (
  bucket      integer not null,
  player      text collate "C" not null,
  bet_id      text collate "C" not null,
  seq         integer not null check (seq > 0),
  operation   text not null check (operation in ('place', 'settle', 'unsettle', 'rollback')),
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
comment on table purser.bet_call is 'Every call about a bet except its accepted Place bet, which is the bet''s own row. effect_at is the time that was answered; transfers are versions of purser.transfer.';
create index bet_call_anomaly on purser.bet_call (at, bucket) where anomaly is not null;
