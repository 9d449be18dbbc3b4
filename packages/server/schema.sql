-- The schema that the files in migrations/ make. Generated (npm run generate): to read, not to run.

CREATE SCHEMA gateway;

CREATE SCHEMA platform;

CREATE SCHEMA purser;

CREATE FUNCTION purser.rotate_journal_of(of name, today date, keep integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION gateway.prepare_journal() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT purser.rotate_journal_of('gateway'::name, ((now() AT TIME ZONE 'UTC'::text))::date, 36500) AS rotate_journal_of;
END;

CREATE TABLE purser.journal_retention (
    schema text NOT NULL COLLATE pg_catalog."C",
    days integer
);

COMMENT ON TABLE purser.journal_retention IS 'Days for which each journal of calls is kept (W-30): PURSER_JOURNAL_DAYS of the owner''s last purser migrate or server start. 0: no day; null: not yet set.';

CREATE FUNCTION gateway.rotate_journal() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT purser.rotate_journal_of('gateway'::name, ((now() AT TIME ZONE 'UTC'::text))::date, COALESCE(r.days, 36500)) AS rotate_journal_of
    FROM purser.journal_retention r
   WHERE (r.schema = 'gateway'::text);
END;

CREATE FUNCTION purser.prepare_journal() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT purser.rotate_journal_of('purser'::name, ((now() AT TIME ZONE 'UTC'::text))::date, 36500) AS rotate_journal_of;
END;

CREATE FUNCTION purser.raise_stale_row(what text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception '% has moved on since it was read', what using errcode = 'PU001';
end
$$;

CREATE FUNCTION purser.rotate_journal() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT purser.rotate_journal_of('purser'::name, ((now() AT TIME ZONE 'UTC'::text))::date, COALESCE(r.days, 36500)) AS rotate_journal_of
    FROM purser.journal_retention r
   WHERE (r.schema = 'purser'::text);
END;

CREATE TABLE gateway.action (
    subject text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL,
    ids json NOT NULL,
    key_name text NOT NULL,
    key_hash text NOT NULL,
    person text,
    before json NOT NULL,
    after json NOT NULL,
    reason text
);

COMMENT ON TABLE gateway.action IS 'The same as purser.action, of the gateway''s API.';

CREATE TABLE gateway.api_key (
    name text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    rights text[],
    used_at timestamp with time zone,
    scope text,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_rights_check CHECK ((cardinality(rights) > 0)),
    CONSTRAINT api_key_role_check CHECK ((role = ANY (ARRAY['read'::text, 'support'::text, 'cash'::text, 'admin'::text])))
);

COMMENT ON TABLE gateway.api_key IS 'The same as purser.api_key, of the gateway''s API.';

COMMENT ON COLUMN gateway.api_key.rights IS 'The same as purser.api_key.rights.';

COMMENT ON COLUMN gateway.api_key.used_at IS 'The same as purser.api_key.used_at.';

COMMENT ON COLUMN gateway.api_key.scope IS 'Null: everything. Otherwise the key reaches only data of this operator.';

CREATE TABLE gateway.journal (
    at timestamp with time zone NOT NULL,
    chunk uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    calls integer NOT NULL,
    slowest real NOT NULL,
    keys integer[] NOT NULL,
    bytes bytea NOT NULL
)
PARTITION BY RANGE (at);
ALTER TABLE ONLY gateway.journal ALTER COLUMN keys SET STORAGE EXTERNAL;
ALTER TABLE ONLY gateway.journal ALTER COLUMN bytes SET STORAGE EXTERNAL;

COMMENT ON TABLE gateway.journal IS 'The same as purser.journal, of the gateway.';

CREATE TABLE gateway.operator (
    operator_id text NOT NULL COLLATE pg_catalog."C",
    base_url text NOT NULL,
    secrets json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    connection json
);

COMMENT ON COLUMN gateway.operator.secrets IS 'The same as platform.partner.secrets.';

COMMENT ON COLUMN gateway.operator.connection IS 'The same as platform.partner.connection.';

CREATE TABLE gateway.player (
    user_id text NOT NULL COLLATE pg_catalog."C",
    operator_id text NOT NULL COLLATE pg_catalog."C",
    operator_user text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE gateway.player IS 'user_id is the gateway''s own id of an operator''s player, the userId of every call. operator_user is the operator''s id.';

CREATE TABLE gateway.session (
    token_hash bytea NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    operator_token json NOT NULL
);

COMMENT ON TABLE gateway.session IS 'One row for each exchanged operator token. The gateway''s own token is stored as SHA-256. The operator''s token is stored as {key, sealed}, encrypted with a key that is derived from the gateway''s own token.';

CREATE TABLE platform.action (
    subject text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL,
    ids json NOT NULL,
    key_name text NOT NULL,
    key_hash text NOT NULL,
    person text,
    before json NOT NULL,
    after json NOT NULL,
    reason text
);

COMMENT ON TABLE platform.action IS 'The same as purser.action, of the platform''s API.';

CREATE TABLE platform.api_key (
    name text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    rights text[],
    used_at timestamp with time zone,
    scope text,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_rights_check CHECK ((cardinality(rights) > 0)),
    CONSTRAINT api_key_role_check CHECK ((role = ANY (ARRAY['read'::text, 'support'::text, 'cash'::text, 'admin'::text])))
);

COMMENT ON TABLE platform.api_key IS 'The same as purser.api_key, of the platform''s API.';

COMMENT ON COLUMN platform.api_key.rights IS 'The same as purser.api_key.rights.';

COMMENT ON COLUMN platform.api_key.used_at IS 'The same as purser.api_key.used_at.';

COMMENT ON COLUMN platform.api_key.scope IS 'Null: everything. Otherwise the key reaches only data of this partner.';

CREATE TABLE platform.attempt (
    delivery_id bigint NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    http_status integer,
    outcome text NOT NULL,
    code integer,
    error text,
    body text NOT NULL,
    phases text,
    CONSTRAINT attempt_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'unknown'::text])))
);

COMMENT ON COLUMN platform.attempt.phases IS 'Milliseconds for name, connection, TLS, first byte and body; empty for a phase that did not occur (C-18).';

CREATE TABLE platform.bet (
    bet_id uuid NOT NULL,
    partner_id text NOT NULL COLLATE pg_catalog."C",
    frame_session_id uuid NOT NULL,
    idempotency_key text COLLATE pg_catalog."C",
    request_hash text NOT NULL,
    user_id text NOT NULL,
    operator_user text,
    currency text NOT NULL,
    token text NOT NULL,
    stake bigint NOT NULL,
    status text NOT NULL,
    reason text,
    ticket_type text NOT NULL,
    coefficient text NOT NULL,
    booster text,
    bonus_id integer,
    bonus_template_id integer,
    payout bigint,
    result_type text,
    result_source text,
    acknowledged_status text,
    acknowledged_payout bigint,
    acknowledged_result_type text,
    deliveries integer DEFAULT 1 NOT NULL,
    placed_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    taken_back_at bigint,
    CONSTRAINT bet_acknowledged_status_check CHECK ((acknowledged_status = ANY (ARRAY['open'::text, 'settled'::text, 'cancelled'::text]))),
    CONSTRAINT bet_check CHECK (((status = 'settled'::text) = ((payout IS NOT NULL) AND (result_type IS NOT NULL)))),
    CONSTRAINT bet_payout_check CHECK ((payout >= 0)),
    CONSTRAINT bet_result_source_check CHECK ((result_source = ANY (ARRAY['event'::text, 'request'::text]))),
    CONSTRAINT bet_result_type_check CHECK ((result_type = ANY (ARRAY['won'::text, 'lost'::text, 'refund'::text, 'cashout'::text]))),
    CONSTRAINT bet_stake_check CHECK ((stake >= 0)),
    CONSTRAINT bet_status_check CHECK ((status = ANY (ARRAY['placing'::text, 'accepted'::text, 'declined'::text, 'cancelled'::text, 'settled'::text]))),
    CONSTRAINT bet_ticket_type_check CHECK ((ticket_type = ANY (ARRAY['single'::text, 'express'::text])))
)
WITH (fillfactor='50');

COMMENT ON TABLE platform.bet IS 'status is the platform''s decision. acknowledged_* is the state that the partner acknowledged last. deliveries counts the decided deliveries.';

COMMENT ON COLUMN platform.bet.token IS 'Empty when no call remains to be sent (O-6).';

COMMENT ON COLUMN platform.bet.taken_back_at IS 'The sum of the result versions of the bet''s events when a request last took its result back. Each version only grows.';

CREATE TABLE platform.call_stats (
    slot smallint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    minute timestamp with time zone NOT NULL,
    accepted bigint NOT NULL,
    refused bigint NOT NULL,
    failed bigint NOT NULL,
    durations bigint[] NOT NULL,
    CONSTRAINT call_stats_slot_check CHECK ((slot >= 0))
);

COMMENT ON TABLE platform.call_stats IS 'The same as purser.call_stats: the calls that this platform made, by partner.';

CREATE TABLE platform.change (
    change_id bigint NOT NULL,
    size integer NOT NULL,
    at timestamp with time zone NOT NULL,
    events json NOT NULL,
    last_number bigint,
    CONSTRAINT change_size_check CHECK ((size > 0))
);

COMMENT ON TABLE platform.change IS 'events is a list of [name, member, …]. last_number is the number of the last event, and null until it is numbered. change_id only orders rows that are numbered together.';

ALTER TABLE platform.change ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME platform.change_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE platform.console_failure (
    name text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    failures integer NOT NULL,
    locked_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    failed_at timestamp with time zone NOT NULL,
    CONSTRAINT console_failure_failures_check CHECK ((failures >= 0))
);

COMMENT ON TABLE platform.console_failure IS 'The same as purser.console_failure, of the platform''s console.';

CREATE TABLE platform.console_session (
    hash bytea NOT NULL,
    key_hash bytea,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    person text COLLATE pg_catalog."C",
    password_number integer,
    used_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT console_session_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT console_session_is_of_one CHECK ((num_nonnulls(key_hash, person) = 1)),
    CONSTRAINT console_session_key_hash_check CHECK ((octet_length(key_hash) = 32))
);

COMMENT ON TABLE platform.console_session IS 'The same as purser.console_session, of the platform''s console.';

COMMENT ON COLUMN platform.console_session.used_at IS 'The same as purser.console_session.used_at.';

CREATE TABLE platform.console_user (
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    password text NOT NULL,
    password_at timestamp with time zone NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    password_number integer DEFAULT 1 NOT NULL,
    used_at timestamp with time zone,
    must_change boolean DEFAULT false NOT NULL,
    CONSTRAINT console_user_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'::text)),
    CONSTRAINT console_user_password_number_check CHECK ((password_number > 0)),
    CONSTRAINT console_user_role_check CHECK ((role = ANY (ARRAY['read'::text, 'support'::text, 'cash'::text, 'admin'::text])))
);

COMMENT ON TABLE platform.console_user IS 'The same as purser.console_user, of the platform''s console.';

COMMENT ON COLUMN platform.console_user.used_at IS 'The same as purser.console_user.used_at.';

COMMENT ON COLUMN platform.console_user.must_change IS 'The same as purser.console_user.must_change.';

CREATE TABLE platform.currency (
    currency text NOT NULL COLLATE pg_catalog."C",
    scale smallint NOT NULL,
    CONSTRAINT currency_scale_check CHECK ((scale >= 0))
);

COMMENT ON TABLE platform.currency IS 'The scale of the stored amounts of a currency since its first bet; it never changes.';

CREATE TABLE platform.delivery (
    delivery_id bigint NOT NULL,
    bet_id uuid NOT NULL,
    number integer NOT NULL,
    partner_id text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    request_id uuid NOT NULL,
    payout bigint,
    result_type text,
    status text NOT NULL COLLATE pg_catalog."C",
    attempts integer DEFAULT 0 NOT NULL,
    attempts_before integer DEFAULT 0 NOT NULL,
    code integer,
    error text,
    decided_at timestamp with time zone NOT NULL,
    first_attempt_at timestamp with time zone,
    due_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    owed_since timestamp with time zone,
    owed_amount numeric,
    owed_currency text COLLATE pg_catalog."C",
    is_claimed boolean DEFAULT false NOT NULL,
    CONSTRAINT delivery_operation_check CHECK ((operation = ANY (ARRAY['place'::text, 'settle'::text, 'unsettle'::text, 'rollback'::text]))),
    CONSTRAINT delivery_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'pending'::text, 'done'::text, 'refused'::text, 'unknown'::text, 'stuck'::text])))
)
WITH (fillfactor='50');

COMMENT ON TABLE platform.delivery IS 'One call to a partner, repeated until it is finished. waiting: an earlier delivery of the bet is not finished. pending: due at due_at, or in progress (is_claimed). A claim that stays unchanged for a whole lease is due again.';

COMMENT ON COLUMN platform.delivery.owed_since IS 'Since this time the delivery needs attention: it is stuck, refused as the last delivery of its bet, or repeated after an answer of 400 or after six minutes without an answer (C-5, C-9, W-48). owed_amount is the money that has not moved; a negative amount must be taken back from the player.';

ALTER TABLE platform.delivery ALTER COLUMN delivery_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME platform.delivery_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE platform.event (
    event_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    results_version bigint DEFAULT 0 NOT NULL,
    results_applied bigint DEFAULT 0 NOT NULL,
    results_at timestamp with time zone,
    results_pending_since timestamp with time zone,
    CONSTRAINT event_status_check CHECK ((status = ANY (ARRAY['open'::text, 'suspended'::text, 'withdrawn'::text, 'ended'::text])))
);

COMMENT ON COLUMN platform.event.results_pending_since IS 'Since this time some bets do not yet follow the results (results_applied < results_version).';

CREATE TABLE platform.event_total (
    event_id text NOT NULL COLLATE pg_catalog."C",
    bets bigint NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE platform.event_total IS 'The number of accepted and settled bets on an event, in all currencies.';

CREATE TABLE platform.feed_counter (
    only_row boolean DEFAULT true NOT NULL,
    last_number bigint NOT NULL,
    CONSTRAINT feed_counter_only_row_check CHECK (only_row)
);

COMMENT ON TABLE platform.feed_counter IS 'The last number of the feed. The process that numbers rows locks this row, so only one process at a time numbers rows.';

CREATE TABLE platform.frame_session (
    frame_session_id uuid NOT NULL,
    partner_id text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL,
    user_id text NOT NULL,
    operator_user text,
    currency text NOT NULL,
    profile json NOT NULL,
    created_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE platform.frame_session IS 'A user who loaded the frame: the token, the profile from the partner, and the currency of the bets of this session.';

CREATE TABLE platform.limits (
    only_row boolean DEFAULT true NOT NULL,
    limits json NOT NULL,
    CONSTRAINT limits_only_row_check CHECK (only_row)
);

CREATE TABLE platform.message (
    delivery_id bigint NOT NULL,
    body text NOT NULL
);

COMMENT ON TABLE platform.message IS 'The bytes of each delivery, which every attempt sends (C-5). They are written once; a token in them is deleted after the acknowledgement (O-6).';

CREATE TABLE platform.outcome (
    event_id text NOT NULL COLLATE pg_catalog."C",
    outcome_id text NOT NULL COLLATE pg_catalog."C",
    coefficient text,
    result text,
    CONSTRAINT outcome_result_check CHECK ((result = ANY (ARRAY['won'::text, 'lost'::text, 'refund'::text])))
);

CREATE TABLE platform.outcome_total (
    event_id text NOT NULL COLLATE pg_catalog."C",
    outcome_id text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    stake numeric NOT NULL,
    win numeric NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE platform.outcome_total IS 'Stakes of the accepted and settled bets on an outcome, and the payouts if they win, in minor units.';

CREATE TABLE platform.partner (
    partner_id text NOT NULL COLLATE pg_catalog."C",
    base_url text NOT NULL,
    secrets json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    connection json
);

COMMENT ON COLUMN platform.partner.secrets IS 'A list, whose first secret signs. Or {key, sealed}: the same list, encrypted with AES-256-GCM and bound to this row.';

COMMENT ON COLUMN platform.partner.connection IS 'Null: no connection settings. Otherwise a list of one text, which is JSON with headers, ca, certificate and key. Or {key, sealed}: the same list, encrypted as secrets.';

CREATE TABLE platform.retry (
    retry_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    key_name text NOT NULL,
    person text,
    chosen json NOT NULL,
    count integer NOT NULL,
    still_retrying integer NOT NULL,
    taken integer DEFAULT 0 NOT NULL,
    progress_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);

COMMENT ON TABLE platform.retry IS 'chosen: the given filters. count: the number of selected deliveries before the start. progress_at: the time of the last slice. A retry without finished_at and without progress was interrupted.';

CREATE TABLE platform.retry_delivery (
    retry_id uuid NOT NULL,
    delivery_id bigint NOT NULL
);

COMMENT ON TABLE platform.retry_delivery IS 'Deliveries that a retry has sent again.';

CREATE TABLE platform.selection (
    bet_id uuid NOT NULL,
    number integer NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    outcome_id text NOT NULL COLLATE pg_catalog."C",
    coefficient text NOT NULL,
    details json NOT NULL
);

CREATE TABLE platform.setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);

COMMENT ON TABLE platform.setting IS 'Settings about money, which must be the same in every process.';

CREATE TABLE purser.account (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    balance bigint NOT NULL,
    version bigint NOT NULL,
    day date NOT NULL,
    opening_version bigint NOT NULL,
    CONSTRAINT account_check CHECK (((opening_version >= 0) AND (opening_version <= version))),
    CONSTRAINT account_version_check CHECK ((version >= 0))
)
WITH (fillfactor='80');

COMMENT ON TABLE purser.account IS 'Balance of a player in one currency, in minor units, after transfer number version; opening_version is the last transfer before day (UTC).';

CREATE TABLE purser.action (
    subject text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL,
    ids json NOT NULL,
    key_name text NOT NULL,
    key_hash text NOT NULL,
    person text,
    before json NOT NULL,
    after json NOT NULL,
    reason text
);

COMMENT ON TABLE purser.action IS 'Changes through the wallet''s own API, append-only. subject is the first of ids, by which the log is searched. before and after contain the change, with masked secrets. key_hash is the beginning of the key''s SHA-256.';

CREATE TABLE purser.adjusted_sum (
    key_name text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    CONSTRAINT adjusted_sum_amount_check CHECK ((amount >= 0))
);

COMMENT ON TABLE purser.adjusted_sum IS 'Sums of the adjustments that needed no second user, without their signs, by key, UTC day and currency.';

CREATE TABLE purser.api_key (
    name text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    rights text[],
    used_at timestamp with time zone,
    scope text,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_rights_check CHECK ((cardinality(rights) > 0)),
    CONSTRAINT api_key_role_check CHECK ((role = ANY (ARRAY['read'::text, 'support'::text, 'cash'::text, 'admin'::text])))
);

COMMENT ON TABLE purser.api_key IS 'Keys of the wallet''s own API, as SHA-256. A rotated key has several numbers. Each number is valid until its ends_at, by the database''s clock.';

COMMENT ON COLUMN purser.api_key.rights IS 'Null: all rights of the role. Otherwise the key has only these rights.';

COMMENT ON COLUMN purser.api_key.used_at IS 'Last use, to the minute; null if no use is known.';

COMMENT ON COLUMN purser.api_key.scope IS 'Null: everything. Otherwise the key reaches only data of this brand.';

CREATE TABLE purser.archive (
    file text NOT NULL COLLATE pg_catalog."C",
    before timestamp with time zone NOT NULL,
    made_at timestamp with time zone NOT NULL,
    accounts integer NOT NULL,
    transfers bigint NOT NULL,
    CONSTRAINT archive_accounts_check CHECK ((accounts > 0)),
    CONSTRAINT archive_transfers_check CHECK ((transfers > 0))
);

COMMENT ON TABLE purser.archive IS 'The archive files. The name of each file contains the SHA-256 of its bytes. Only the owner writes this table and the next two.';

CREATE TABLE purser.archived_sum (
    day date NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    brand text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    debit text NOT NULL COLLATE pg_catalog."C",
    credit text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    transfers bigint NOT NULL,
    amount numeric NOT NULL,
    site text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT archived_sum_amount_check CHECK ((amount >= (0)::numeric)),
    CONSTRAINT archived_sum_transfers_check CHECK ((transfers > 0))
);

COMMENT ON TABLE purser.archived_sum IS 'The same as purser.daily_sum, for the transfers in files.';

CREATE TABLE purser.bet (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    bet_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    calls integer NOT NULL,
    currency text COLLATE pg_catalog."C",
    stake bigint,
    funder text,
    stake_version bigint,
    request_id text COLLATE pg_catalog."C",
    placed_at timestamp with time zone,
    payout bigint,
    result_type text,
    payee text,
    refusal text,
    locked boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    last_result integer DEFAULT 0 NOT NULL,
    rare_status text GENERATED ALWAYS AS (
CASE
    WHEN (status = ANY (ARRAY['unknown'::text, 'cancelled'::text, 'refused'::text])) THEN status
    ELSE NULL::text
END) STORED COLLATE pg_catalog."C",
    platform text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    archived_to_player bigint,
    archived_to_promotions bigint,
    archived_to_open_stakes bigint,
    site text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    odds_payout bigint,
    CONSTRAINT bet_calls_check CHECK ((calls > 0)),
    CONSTRAINT bet_check CHECK (((status <> ALL (ARRAY['open'::text, 'settled'::text])) OR ((stake IS NOT NULL) AND (currency IS NOT NULL) AND (funder IS NOT NULL) AND (placed_at IS NOT NULL)))),
    CONSTRAINT bet_check1 CHECK (((status = 'settled'::text) = ((payout IS NOT NULL) AND (result_type IS NOT NULL) AND (payee IS NOT NULL)))),
    CONSTRAINT bet_check2 CHECK (((status = 'refused'::text) = (refusal IS NOT NULL))),
    CONSTRAINT bet_funder_check CHECK ((funder = ANY (ARRAY['player'::text, 'promotions'::text]))),
    CONSTRAINT bet_odds_payout_check CHECK ((odds_payout >= 0)),
    CONSTRAINT bet_payee_check CHECK ((payee = ANY (ARRAY['player'::text, 'promotions'::text]))),
    CONSTRAINT bet_payout_check CHECK ((payout >= 0)),
    CONSTRAINT bet_result_type_check CHECK ((result_type = ANY (ARRAY['won'::text, 'lost'::text, 'refund'::text, 'cashout'::text]))),
    CONSTRAINT bet_stake_check CHECK ((stake >= 0)),
    CONSTRAINT bet_status_check CHECK ((status = ANY (ARRAY['unknown'::text, 'open'::text, 'settled'::text, 'cancelled'::text, 'refused'::text])))
)
WITH (fillfactor='45');

COMMENT ON TABLE purser.bet IS 'One row for each bet id that a call has named. calls is the number of calls and the version of the row. changed_at is the effect time of the last applied operation.';

COMMENT ON COLUMN purser.bet.last_result IS 'Number of the call whose result (Settle, Unsettle) was applied last; 0 if no result was applied.';

COMMENT ON COLUMN purser.bet.rare_status IS 'The status, for an index of the statuses that few bets have. Null for open and settled.';

COMMENT ON COLUMN purser.bet.platform IS 'The platform whose secret signed the first call about the bet. bet_id is the sent id, followed by @ and this name if another platform''s bet of the player already has the id.';

COMMENT ON COLUMN purser.bet.archived_to_player IS 'Sum of the bet''s transfers in archive files; null if no transfer is archived. The next two columns are null for 0.';

COMMENT ON COLUMN purser.bet.site IS 'The beginning of the subPartnerId of the Place bet; bet_details contains the whole value.';

COMMENT ON COLUMN purser.bet.odds_payout IS 'Stake × coefficient × boosterCoefficient in minor units, rounded down. Null if the Place bet has no coefficient of 1 or more.';

CREATE TABLE purser.bet_call (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    bet_id text NOT NULL COLLATE pg_catalog."C",
    seq integer NOT NULL,
    operation text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    amount bigint,
    currency text COLLATE pg_catalog."C",
    result_type text,
    reason integer,
    outcome text NOT NULL,
    refusal text,
    anomaly text,
    transfers bigint[] NOT NULL,
    effect_at timestamp with time zone,
    at timestamp with time zone NOT NULL,
    CONSTRAINT bet_call_operation_check CHECK ((operation = ANY (ARRAY['place'::text, 'settle'::text, 'unsettle'::text, 'rollback'::text]))),
    CONSTRAINT bet_call_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'repeated'::text, 'refused'::text]))),
    CONSTRAINT bet_call_seq_check CHECK ((seq > 0))
);

COMMENT ON TABLE purser.bet_call IS 'Every call about a bet, except the accepted Place bet, which is the row of the bet. An accepted Place bet that is an anomaly is also here, without its transfer. effect_at is the answered time; transfers are versions of purser.transfer.';

CREATE TABLE purser.bet_details (
    bucket integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    bet_id text NOT NULL COLLATE pg_catalog."C",
    player text NOT NULL COLLATE pg_catalog."C",
    details json NOT NULL
);

COMMENT ON TABLE purser.bet_details IS 'The description of a placed bet, found by first_seen_at of its row in purser.bet. Append-only.';

CREATE TABLE purser.bet_event (
    bucket integer NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    first_seen_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY purser.bet_event REPLICA IDENTITY FULL;

COMMENT ON TABLE purser.bet_event IS 'At this time some bets on the event have their details (purser.bet_details). A time can occur twice. Append-only.';

CREATE TABLE purser.call_stats (
    slot smallint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    minute timestamp with time zone NOT NULL,
    accepted bigint NOT NULL,
    refused bigint NOT NULL,
    failed bigint NOT NULL,
    durations bigint[] NOT NULL,
    CONSTRAINT call_stats_slot_check CHECK ((slot >= 0))
);

COMMENT ON TABLE purser.call_stats IS 'Calls of the wire by minute. name is the platform whose secret verified the calls, empty for the platform without a name, ? for calls that no secret verified. durations counts calls by duration. Slots are reused in turn; only the last hour is read.';

CREATE TABLE purser.carried_balance (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    balance bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    file text NOT NULL COLLATE pg_catalog."C",
    place integer NOT NULL,
    CONSTRAINT carried_balance_place_check CHECK ((place > 0)),
    CONSTRAINT carried_balance_version_check CHECK ((version > 0))
);

COMMENT ON TABLE purser.carried_balance IS 'The account''s transfers up to version are in files. The transfers since the previous row are in this file, at this place. balance and at belong to transfer version.';

CREATE TABLE purser.cash_movement (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    version bigint NOT NULL,
    balance_after bigint NOT NULL,
    despite_exclusion boolean DEFAULT false NOT NULL,
    reason text,
    person text,
    ticket text,
    bet_id text COLLATE pg_catalog."C",
    approved_by text,
    CONSTRAINT cash_movement_adjustment_check CHECK (
CASE kind
    WHEN 'adjustment'::text THEN ((reason IS NOT NULL) AND (person IS NOT NULL))
    ELSE (COALESCE(reason, person, ticket, bet_id) IS NULL)
END),
    CONSTRAINT cash_movement_amount_check CHECK (((amount > 0) OR ((kind = 'adjustment'::text) AND (amount < 0)))),
    CONSTRAINT cash_movement_check CHECK (((kind = 'deposit'::text) OR (NOT despite_exclusion))),
    CONSTRAINT cash_movement_check1 CHECK (((approved_by IS NULL) OR (kind = 'adjustment'::text))),
    CONSTRAINT cash_movement_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text, 'adjustment'::text, 'opening'::text])))
);

COMMENT ON TABLE purser.cash_movement IS 'Deposits, withdrawals, adjustments and opening balances by the operator''s reference. A repeated reference is answered from this table. The amount of an adjustment is signed; bet_id is the bet that it corrects.';

COMMENT ON COLUMN purser.cash_movement.approved_by IS 'The user who approved an adjustment above the limit (W-27).';

CREATE TABLE purser.change (
    bucket integer NOT NULL,
    change_id bigint NOT NULL,
    size integer NOT NULL,
    at timestamp with time zone NOT NULL,
    events json NOT NULL,
    last_number bigint,
    CONSTRAINT change_size_check CHECK ((size > 0))
);
ALTER TABLE ONLY purser.change ALTER COLUMN events SET STORAGE EXTERNAL;

COMMENT ON TABLE purser.change IS 'events is a list of [name, member, …]; an event with a balance is sent as two (packages/server/src/wallet/store/wallet-changes.ts). last_number is the number of the last event, and null until it is numbered. change_id only orders rows that are numbered together.';

ALTER TABLE purser.change ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME purser.change_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE purser.conformance_run (
    run_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    started_by text NOT NULL,
    state text DEFAULT 'running'::text NOT NULL COLLATE pg_catalog."C",
    seen_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    is_good boolean,
    why text,
    cases json NOT NULL,
    results json DEFAULT '[]'::json NOT NULL,
    CONSTRAINT conformance_run_check CHECK (((state = 'running'::text) = (ended_at IS NULL))),
    CONSTRAINT conformance_run_check1 CHECK (((state = 'ended'::text) = (is_good IS NOT NULL))),
    CONSTRAINT conformance_run_check2 CHECK (((state = 'failed'::text) = (why IS NOT NULL))),
    CONSTRAINT conformance_run_state_check CHECK ((state = ANY (ARRAY['running'::text, 'ended'::text, 'failed'::text])))
);

COMMENT ON TABLE purser.conformance_run IS 'seen_at is the last heartbeat of the process that runs it. cases is the catalogue at the start. results has the result of each case, without the sent bytes. One run at a time is in progress.';

CREATE TABLE purser.console_failure (
    name text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    failures integer NOT NULL,
    locked_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    failed_at timestamp with time zone NOT NULL,
    CONSTRAINT console_failure_failures_check CHECK ((failures >= 0))
);

COMMENT ON TABLE purser.console_failure IS 'Wrong passwords of a name since the last right one, by address (the /64, in IPv6). At locked_until the address may try the name again.';

CREATE TABLE purser.console_session (
    hash bytea NOT NULL,
    key_hash bytea,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    person text COLLATE pg_catalog."C",
    password_number integer,
    used_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT console_session_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT console_session_is_of_one CHECK ((num_nonnulls(key_hash, person) = 1)),
    CONSTRAINT console_session_key_hash_check CHECK ((octet_length(key_hash) = 32))
);

COMMENT ON TABLE purser.console_session IS 'Sessions of the console, as SHA-256 of their tokens. key_hash identifies the key whose role the session has.';

COMMENT ON COLUMN purser.console_session.used_at IS 'Last request of an active user, to the minute.';

CREATE TABLE purser.console_user (
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    password text NOT NULL,
    password_at timestamp with time zone NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    password_number integer DEFAULT 1 NOT NULL,
    used_at timestamp with time zone,
    must_change boolean DEFAULT false NOT NULL,
    CONSTRAINT console_user_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'::text)),
    CONSTRAINT console_user_password_number_check CHECK ((password_number > 0)),
    CONSTRAINT console_user_role_check CHECK ((role = ANY (ARRAY['read'::text, 'support'::text, 'cash'::text, 'admin'::text])))
);

COMMENT ON TABLE purser.console_user IS 'Users who may sign in to the console by name. password is scrypt$N$r$p$salt$hash.';

COMMENT ON COLUMN purser.console_user.used_at IS 'Last use of a session or sign-in, to the minute; null if no use is known.';

COMMENT ON COLUMN purser.console_user.must_change IS 'Another user has set the password, so a session may only change it.';

CREATE TABLE purser.currency (
    currency text NOT NULL COLLATE pg_catalog."C",
    scale smallint NOT NULL
);

COMMENT ON TABLE purser.currency IS 'The scale of the stored amounts of a currency. The first account in the currency records it, and it cannot change.';

CREATE TABLE purser.daily_close (
    day date NOT NULL,
    closed_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE purser.daily_close IS 'Days (UTC) whose sums are stored, without gaps since the first one.';

CREATE TABLE purser.daily_sum (
    day date NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    brand text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    debit text NOT NULL COLLATE pg_catalog."C",
    credit text NOT NULL COLLATE pg_catalog."C",
    transfers bigint NOT NULL,
    amount numeric NOT NULL,
    platform text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    site text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT daily_sum_amount_check CHECK ((amount >= (0)::numeric)),
    CONSTRAINT daily_sum_transfers_check CHECK ((transfers > 0))
);

COMMENT ON TABLE purser.daily_sum IS 'Sums of purser.transfer, in minor units. brand is the player''s brand; platform and site are the bet''s. Each is empty if there is none.';

CREATE TABLE purser.feed_counter (
    only_row boolean DEFAULT true NOT NULL,
    last_number bigint NOT NULL,
    CONSTRAINT feed_counter_only_row_check CHECK (only_row)
);

COMMENT ON TABLE purser.feed_counter IS 'The last number of the feed. The process that numbers rows locks this row, so only one process at a time numbers rows.';

CREATE TABLE purser.journal (
    at timestamp with time zone NOT NULL,
    chunk uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    calls integer NOT NULL,
    slowest real NOT NULL,
    keys integer[] NOT NULL,
    bytes bytea NOT NULL
)
PARTITION BY RANGE (at);
ALTER TABLE ONLY purser.journal ALTER COLUMN keys SET STORAGE EXTERNAL;
ALTER TABLE ONLY purser.journal ALTER COLUMN bytes SET STORAGE EXTERNAL;

COMMENT ON TABLE purser.journal IS 'Calls of the wire as received and answered, of the newest days, some hundred in a row. at is the time of the last answer of the row, since of the first byte. slowest is in milliseconds. keys are hashes for the search (players, bets, requests, operations, outcomes, codes). bytes are the calls, compressed by brotli after a byte 1. Tokens in bodies are masked (beginning and hash). GET /operator/calls reads the table.';

CREATE TABLE purser.migration (
    version bigint NOT NULL,
    name text,
    md5 text,
    run_at timestamp with time zone
);

CREATE TABLE purser.player (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    currencies text[] NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    is_test boolean,
    operator_user text,
    custom_fields json,
    self_excluded_until timestamp with time zone,
    verified boolean,
    birthday text,
    limits json DEFAULT '{}'::json NOT NULL,
    created_as json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    unrestricted_as text,
    nickname_key text COLLATE pg_catalog."C",
    email_key text COLLATE pg_catalog."C",
    brand text COLLATE pg_catalog."C",
    waiting json,
    CONSTRAINT player_check CHECK ((currency = ANY (currencies))),
    CONSTRAINT player_status_check CHECK ((status = ANY (ARRAY['active'::text, 'blocked'::text])))
);

COMMENT ON COLUMN purser.player.created_as IS 'The request that created the player. A repeat of this request is recognised by it, whatever has changed since.';

COMMENT ON COLUMN purser.player.unrestricted_as IS 'The status, verification and limits with which the rules found no restriction for this player''s bets.';

COMMENT ON COLUMN purser.player.nickname_key IS 'customFields.nickname in lower case, for the search; email_key likewise.';

COMMENT ON COLUMN purser.player.brand IS 'The site on which the player registered, for reports; it never changes.';

COMMENT ON COLUMN purser.player.waiting IS 'Changes that wait for hours or for a second user, by member: {"limits.stake": {"value", "askedAt", "key", "person", "from", "until"}}. Null if no change waits.';

CREATE TABLE purser.proposal (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    reason text NOT NULL,
    ticket text,
    bet_id text COLLATE pg_catalog."C",
    key_name text NOT NULL,
    person text NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL COLLATE pg_catalog."C",
    decided_key text,
    decided_person text,
    decided_at timestamp with time zone,
    CONSTRAINT proposal_amount_check CHECK ((amount <> 0)),
    CONSTRAINT proposal_check CHECK (
CASE status
    WHEN 'pending'::text THEN ((COALESCE(decided_key, decided_person) IS NULL) AND (decided_at IS NULL))
    ELSE ((decided_key IS NOT NULL) AND (decided_person IS NOT NULL) AND (decided_at IS NOT NULL))
END),
    CONSTRAINT proposal_check1 CHECK (((status <> 'approved'::text) OR (decided_key <> key_name))),
    CONSTRAINT proposal_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'refused'::text])))
);

COMMENT ON TABLE purser.proposal IS 'Adjustments that need a second user. person and decided_person are the names in the requests, or the names of the keys. The amount is signed.';

CREATE TABLE purser.session (
    bucket integer NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    player text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    ip text,
    country text,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);

COMMENT ON COLUMN purser.session.token_hash IS 'SHA-256 of the token, base64url. The token itself is not stored, and its bucket equals its player''s bucket.';

CREATE TABLE purser.setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);

COMMENT ON TABLE purser.setting IS 'Settings that are fixed when the database is created (the number of buckets), and settings about money, which must be the same in every process.';

CREATE TABLE purser.transfer (
    bucket integer NOT NULL,
    player text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    debit text NOT NULL,
    credit text NOT NULL,
    amount bigint NOT NULL,
    balance_after bigint NOT NULL,
    bet_id text COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    reference text COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    platform text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    site text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT transfer_check CHECK ((debit <> credit)),
    CONSTRAINT transfer_check1 CHECK (((amount > 0) OR ((amount = 0) AND (kind = ANY (ARRAY['stake'::text, 'refund'::text]))))),
    CONSTRAINT transfer_check2 CHECK (((balance_after >= 0) OR (debit <> 'player'::text) OR (kind = 'payout_reversal'::text))),
    CONSTRAINT transfer_credit_check CHECK ((credit = ANY (ARRAY['player'::text, 'open_stakes'::text, 'house'::text, 'promotions'::text, 'cash_in'::text, 'cash_out'::text, 'adjustments'::text, 'openings'::text]))),
    CONSTRAINT transfer_debit_check CHECK ((debit = ANY (ARRAY['player'::text, 'open_stakes'::text, 'house'::text, 'promotions'::text, 'cash_in'::text, 'cash_out'::text, 'adjustments'::text, 'openings'::text]))),
    CONSTRAINT transfer_version_check CHECK ((version > 0))
);

COMMENT ON TABLE purser.transfer IS 'Immutable double entry: amount leaves debit and reaches credit. version numbers the transfers of one player and currency without gaps. Accounts other than player are per bucket and currency and are summed, never stored.';

CREATE TABLE purser.webhook (
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events text[] NOT NULL,
    secrets json NOT NULL,
    old_until timestamp with time zone,
    state text NOT NULL,
    acknowledged_to bigint NOT NULL,
    failing_since timestamp with time zone,
    last_error text,
    claim uuid,
    beat bigint DEFAULT 0 NOT NULL,
    made_at timestamp with time zone NOT NULL,
    last_attempts json DEFAULT '[]'::json NOT NULL,
    connection json,
    CONSTRAINT webhook_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text, 'removed'::text])))
);

COMMENT ON TABLE purser.webhook IS 'events: their names; empty for all events. secrets: encrypted (O-5); after old_until only the first one signs. acknowledged_to: the id up to which all events are acknowledged.';

COMMENT ON COLUMN purser.webhook.connection IS 'The same as platform.partner.connection.';

ALTER TABLE ONLY gateway.action
    ADD CONSTRAINT action_pkey PRIMARY KEY (subject, at, request_id);

ALTER TABLE ONLY gateway.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY gateway.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (name, number);

ALTER TABLE ONLY gateway.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (at, chunk);

ALTER TABLE ONLY gateway.operator
    ADD CONSTRAINT operator_pkey PRIMARY KEY (operator_id);

ALTER TABLE ONLY gateway.player
    ADD CONSTRAINT player_operator_id_operator_user_key UNIQUE (operator_id, operator_user);

ALTER TABLE ONLY gateway.player
    ADD CONSTRAINT player_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY gateway.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY platform.action
    ADD CONSTRAINT action_pkey PRIMARY KEY (subject, at, request_id);

ALTER TABLE ONLY platform.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY platform.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (name, number);

ALTER TABLE ONLY platform.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY platform.bet
    ADD CONSTRAINT bet_pkey PRIMARY KEY (bet_id);

ALTER TABLE ONLY platform.call_stats
    ADD CONSTRAINT call_stats_pkey PRIMARY KEY (slot, name);

ALTER TABLE ONLY platform.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (change_id);

ALTER TABLE ONLY platform.console_failure
    ADD CONSTRAINT console_failure_pkey PRIMARY KEY (name, address);

ALTER TABLE ONLY platform.console_session
    ADD CONSTRAINT console_session_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY platform.console_user
    ADD CONSTRAINT console_user_pkey PRIMARY KEY (name);

ALTER TABLE ONLY platform.currency
    ADD CONSTRAINT currency_pkey PRIMARY KEY (currency);

ALTER TABLE ONLY platform.delivery
    ADD CONSTRAINT delivery_bet_id_number_key UNIQUE (bet_id, number);

ALTER TABLE ONLY platform.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (delivery_id);

ALTER TABLE ONLY platform.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY platform.event_total
    ADD CONSTRAINT event_total_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY platform.feed_counter
    ADD CONSTRAINT feed_counter_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY platform.frame_session
    ADD CONSTRAINT frame_session_pkey PRIMARY KEY (frame_session_id);

ALTER TABLE ONLY platform.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY platform.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (delivery_id);

ALTER TABLE ONLY platform.outcome
    ADD CONSTRAINT outcome_pkey PRIMARY KEY (event_id, outcome_id);

ALTER TABLE ONLY platform.outcome_total
    ADD CONSTRAINT outcome_total_pkey PRIMARY KEY (event_id, outcome_id, currency);

ALTER TABLE ONLY platform.partner
    ADD CONSTRAINT partner_pkey PRIMARY KEY (partner_id);

ALTER TABLE ONLY platform.retry_delivery
    ADD CONSTRAINT retry_delivery_pkey PRIMARY KEY (retry_id, delivery_id);

ALTER TABLE ONLY platform.retry
    ADD CONSTRAINT retry_pkey PRIMARY KEY (retry_id);

ALTER TABLE ONLY platform.selection
    ADD CONSTRAINT selection_pkey PRIMARY KEY (bet_id, number);

ALTER TABLE ONLY platform.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);

ALTER TABLE ONLY purser.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (bucket, player, currency);

ALTER TABLE ONLY purser.action
    ADD CONSTRAINT action_pkey PRIMARY KEY (subject, at, request_id);

ALTER TABLE ONLY purser.adjusted_sum
    ADD CONSTRAINT adjusted_sum_pkey PRIMARY KEY (key_name, day, currency);

ALTER TABLE ONLY purser.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY purser.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (name, number);

ALTER TABLE ONLY purser.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (file);

ALTER TABLE ONLY purser.archived_sum
    ADD CONSTRAINT archived_sum_pkey PRIMARY KEY (day, currency, brand, kind, debit, credit, platform, site);

ALTER TABLE ONLY purser.bet_call
    ADD CONSTRAINT bet_call_pkey PRIMARY KEY (bucket, player, bet_id, seq);

ALTER TABLE ONLY purser.bet_details
    ADD CONSTRAINT bet_details_pkey PRIMARY KEY (bucket, first_seen_at, bet_id, player);

ALTER TABLE ONLY purser.bet
    ADD CONSTRAINT bet_pkey PRIMARY KEY (bucket, bet_id, player);

ALTER TABLE ONLY purser.call_stats
    ADD CONSTRAINT call_stats_pkey PRIMARY KEY (slot, name);

ALTER TABLE ONLY purser.carried_balance
    ADD CONSTRAINT carried_balance_pkey PRIMARY KEY (bucket, player, currency, version);

ALTER TABLE ONLY purser.cash_movement
    ADD CONSTRAINT cash_movement_pkey PRIMARY KEY (bucket, player, reference);

ALTER TABLE ONLY purser.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (change_id, bucket);

ALTER TABLE ONLY purser.conformance_run
    ADD CONSTRAINT conformance_run_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY purser.console_failure
    ADD CONSTRAINT console_failure_pkey PRIMARY KEY (name, address);

ALTER TABLE ONLY purser.console_session
    ADD CONSTRAINT console_session_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY purser.console_user
    ADD CONSTRAINT console_user_pkey PRIMARY KEY (name);

ALTER TABLE ONLY purser.currency
    ADD CONSTRAINT currency_pkey PRIMARY KEY (currency);

ALTER TABLE ONLY purser.daily_close
    ADD CONSTRAINT daily_close_pkey PRIMARY KEY (day);

ALTER TABLE ONLY purser.daily_sum
    ADD CONSTRAINT daily_sum_pkey PRIMARY KEY (day, currency, brand, kind, debit, credit, platform, site);

ALTER TABLE ONLY purser.feed_counter
    ADD CONSTRAINT feed_counter_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY purser.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (at, chunk);

ALTER TABLE ONLY purser.journal_retention
    ADD CONSTRAINT journal_retention_pkey PRIMARY KEY (schema);

ALTER TABLE ONLY purser.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (version);

ALTER TABLE ONLY purser.player
    ADD CONSTRAINT player_pkey PRIMARY KEY (bucket, player);

ALTER TABLE ONLY purser.proposal
    ADD CONSTRAINT proposal_pkey PRIMARY KEY (bucket, player, reference);

ALTER TABLE ONLY purser.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (bucket, token_hash);

ALTER TABLE ONLY purser.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);

ALTER TABLE ONLY purser.transfer
    ADD CONSTRAINT transfer_pkey PRIMARY KEY (bucket, player, currency, version);

ALTER TABLE ONLY purser.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (webhook_id);

CREATE INDEX action_by_time ON gateway.action USING btree (at, request_id) WHERE (at < 'infinity'::timestamp with time zone);

CREATE INDEX api_key_ends_at_idx ON gateway.api_key USING btree (ends_at);

CREATE INDEX api_key_made_at_name_number_idx ON gateway.api_key USING btree (made_at, name, number);

CREATE INDEX session_created ON gateway.session USING btree (created_at);

CREATE INDEX action_by_time ON platform.action USING btree (at, request_id) WHERE (at < 'infinity'::timestamp with time zone);

CREATE INDEX api_key_ends_at_idx ON platform.api_key USING btree (ends_at);

CREATE INDEX api_key_made_at_name_number_idx ON platform.api_key USING btree (made_at, name, number);

CREATE UNIQUE INDEX bet_by_idempotency_key ON platform.bet USING btree (partner_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX bet_placed ON platform.bet USING btree (placed_at, bet_id);

CREATE UNIQUE INDEX change_by_number ON platform.change USING btree (last_number) WHERE (last_number IS NOT NULL);

CREATE INDEX change_to_number ON platform.change USING btree (change_id) WHERE (last_number IS NULL);

CREATE INDEX console_failure_failed_at_idx ON platform.console_failure USING btree (failed_at);

CREATE INDEX delivery_declined ON platform.delivery USING btree (delivery_id) WHERE ((status = 'refused'::text) AND (operation = 'place'::text));

CREATE INDEX delivery_due ON platform.delivery USING btree (partner_id, (
CASE
    WHEN ((status = 'pending'::text) AND (operation <> 'place'::text)) THEN (operation = 'rollback'::text)
    ELSE NULL::boolean
END), due_at, delivery_id) WHERE (
CASE
    WHEN ((status = 'pending'::text) AND (operation <> 'place'::text)) THEN (operation = 'rollback'::text)
    ELSE NULL::boolean
END IS NOT NULL);

CREATE INDEX delivery_not_done ON platform.delivery USING btree (status, delivery_id) WHERE ((status <> 'done'::text) AND ((status <> 'refused'::text) OR (operation <> 'place'::text)));

CREATE INDEX delivery_owed ON platform.delivery USING btree (owed_since, delivery_id) WHERE (owed_since < 'infinity'::timestamp with time zone);

CREATE INDEX delivery_owed_by_code ON platform.delivery USING btree (code, owed_since, delivery_id) WHERE ((owed_since > '-infinity'::timestamp with time zone) AND (code IS NOT NULL));

CREATE INDEX delivery_owed_by_operation ON platform.delivery USING btree (operation, owed_since, delivery_id) WHERE ((owed_since > '-infinity'::timestamp with time zone) AND (operation IS NOT NULL));

CREATE INDEX delivery_owed_by_partner ON platform.delivery USING btree (partner_id, owed_since, delivery_id) WHERE ((owed_since > '-infinity'::timestamp with time zone) AND (partner_id IS NOT NULL));

CREATE INDEX delivery_owed_by_status ON platform.delivery USING btree (status, owed_since, delivery_id) WHERE ((owed_since > '-infinity'::timestamp with time zone) AND (status IS NOT NULL));

CREATE INDEX delivery_owed_sums ON platform.delivery USING btree (owed_currency, status) INCLUDE (owed_amount) WHERE (owed_amount IS NOT NULL);

CREATE INDEX delivery_placing ON platform.delivery USING btree ((
CASE
    WHEN ((status = 'pending'::text) AND (operation = 'place'::text)) THEN delivery_id
    ELSE NULL::bigint
END)) WHERE (
CASE
    WHEN ((status = 'pending'::text) AND (operation = 'place'::text)) THEN delivery_id
    ELSE NULL::bigint
END IS NOT NULL);

CREATE INDEX event_results_pending ON platform.event USING btree (results_at) WHERE (results_applied < results_version);

CREATE INDEX frame_session_kept ON platform.frame_session USING btree (created_at, frame_session_id) WHERE (token <> ''::text);

CREATE INDEX retry_by_time ON platform.retry USING btree (at, retry_id);

CREATE INDEX selection_by_event ON platform.selection USING btree (event_id, bet_id);

CREATE INDEX action_by_time ON purser.action USING btree (at, request_id) WHERE (at < 'infinity'::timestamp with time zone);

CREATE INDEX action_history ON purser.action USING btree (subject, at, request_id) WHERE (operation = ANY (ARRAY['createPlayer'::text, 'changePlayer'::text, 'lockBet'::text, 'unlockBet'::text]));

CREATE INDEX action_openings ON purser.action USING btree (subject, at, request_id) WHERE (operation = 'openPersonalData'::text);

CREATE INDEX api_key_by_end ON purser.api_key USING btree (ends_at);

CREATE INDEX api_key_by_time ON purser.api_key USING btree (made_at, name, number);

CREATE INDEX bet_by_platform ON purser.bet USING btree (platform, first_seen_at, bucket) WHERE (platform <> ''::text);

CREATE INDEX bet_by_player ON purser.bet USING btree (player, first_seen_at, bucket) WHERE (first_seen_at > '-infinity'::timestamp with time zone);

CREATE INDEX bet_by_time ON purser.bet USING btree (first_seen_at, bucket) WHERE (first_seen_at < 'infinity'::timestamp with time zone);

CREATE INDEX bet_call_anomaly ON purser.bet_call USING btree (at, bucket) WHERE (anomaly IS NOT NULL);

CREATE INDEX bet_call_late ON purser.bet_call USING btree (player, bet_id, request_id) WHERE ((operation = ANY (ARRAY['settle'::text, 'unsettle'::text])) AND (outcome <> 'refused'::text) AND (seq > 16));

CREATE INDEX bet_call_refused ON purser.bet_call USING btree (player, bet_id, request_id, operation, seq) WHERE ((operation = 'place'::text) OR (refusal = ANY (ARRAY['recalculation_blocked'::text, 'recalculation_negative'::text])));

CREATE INDEX bet_event_by_event ON purser.bet_event USING btree (event_id, first_seen_at, bucket);

CREATE INDEX bet_rare ON purser.bet USING btree (rare_status, first_seen_at, bucket) WHERE ((rare_status IS NOT NULL) AND (first_seen_at < 'infinity'::timestamp with time zone));

CREATE INDEX bet_rare_of_player ON purser.bet USING btree (player, rare_status, first_seen_at, bucket) WHERE ((rare_status IS NOT NULL) AND (first_seen_at > '-infinity'::timestamp with time zone));

CREATE INDEX carried_balance_by_file ON purser.carried_balance USING btree (file, place);

CREATE UNIQUE INDEX change_by_number ON purser.change USING btree (last_number, bucket) WHERE (last_number IS NOT NULL);

CREATE INDEX change_to_number ON purser.change USING btree (change_id) WHERE (last_number IS NULL);

CREATE INDEX conformance_run_by_time ON purser.conformance_run USING btree (started_at, run_id);

CREATE UNIQUE INDEX conformance_run_one ON purser.conformance_run USING btree ((true)) WHERE (state = 'running'::text);

CREATE INDEX console_failure_by_time ON purser.console_failure USING btree (failed_at);

CREATE INDEX movement_by_bet ON purser.cash_movement USING btree (player, bet_id, bucket) WHERE (bet_id IS NOT NULL);

CREATE INDEX movement_by_reference ON purser.cash_movement USING btree (reference, player);

CREATE INDEX player_barred ON purser.player USING btree (player) WHERE ((status = 'blocked'::text) OR (self_excluded_until IS NOT NULL));

CREATE INDEX player_by_brand ON purser.player USING btree (brand, player) WHERE (brand IS NOT NULL);

CREATE INDEX player_by_email ON purser.player USING btree (email_key, player) WHERE (email_key IS NOT NULL);

CREATE INDEX player_by_nickname ON purser.player USING btree (nickname_key, player) WHERE (nickname_key IS NOT NULL);

CREATE INDEX player_by_operator_user ON purser.player USING btree (operator_user COLLATE "C", player) WHERE (operator_user IS NOT NULL);

CREATE INDEX proposal_by_reference ON purser.proposal USING btree (reference, player) WHERE (status <> 'approved'::text);

CREATE INDEX proposal_by_status ON purser.proposal USING btree (status, proposed_at, player, reference);

CREATE INDEX proposal_by_time ON purser.proposal USING btree (proposed_at, player, reference) WHERE (proposed_at < 'infinity'::timestamp with time zone);

CREATE INDEX proposal_waiting ON purser.proposal USING btree (player, expires_at, bucket) WHERE (status = 'pending'::text);

CREATE INDEX session_by_player ON purser.session USING btree (player, created_at, token_hash, bucket) WHERE (created_at > '-infinity'::timestamp with time zone);

CREATE INDEX session_of_player ON purser.session USING btree (player);

CREATE INDEX transfer_by_day ON purser.transfer USING brin (at) WITH (pages_per_range='64', autosummarize='on');

CREATE INDEX transfer_by_kind ON purser.transfer USING btree (kind, at, player, currency, version) WHERE (kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text, 'adjustment'::text, 'opening'::text, 'refund'::text, 'payout_reversal'::text]));

ALTER TABLE ONLY platform.console_session
    ADD CONSTRAINT console_session_person_fkey FOREIGN KEY (person) REFERENCES platform.console_user(name);

ALTER TABLE ONLY purser.console_session
    ADD CONSTRAINT console_session_person_fkey FOREIGN KEY (person) REFERENCES purser.console_user(name);
