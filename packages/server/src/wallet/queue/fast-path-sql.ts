/**
 * Statements of the fast path, which accepts plainly valid calls (fast-path.ts). They are the same
 * for every database; on Citus they run in functions (citus-fast-path.ts).
 */

import { MAX_BALANCE } from '@purser/protocol/values/money'
import { statement } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { dayOf, isoOf } from '../ledger/account.ts'
import { latestBirthday } from '../rules/betting-eligibility.ts'
import type { Rules } from '../rules/decision.ts'
import { ROUNDING_TOLERANCE } from '../rules/odds-payout.ts'
import type { PlaceCall, SettleCall } from '../store/bet.ts'
import { IS_UNRESTRICTED } from '../store/player.ts'
import { buildTakenChangesSql } from '../store/wallet-changes.ts'

/**
 * Locks the players that are free and returns the others. The statement never waits, so the order
 * of the locks does not matter. The CASE looks for a player only if the lock failed; with `and`,
 * Postgres would look for every player.
 */
export const LOCK_FREE_PLAYERS = statement(
  'fast_path_lock',
  `select k.player from unnest($2::text[]) as k (player)
   left join lateral (
     select 1 as held from purser.player where bucket = $1::int and player = k.player limit 1 for update skip locked
   ) p on true
   where case when held is null then (select 1 from purser.player where bucket = $1::int and player = k.player limit 1) is not null end`,
)

/** `xmax` of a row that this transaction has locked is the id of the transaction. */
const IS_LOCKED = 'xmax = pg_current_xact_id()::xid'

/** Both statements skip an account whose day is later, because another clock is ahead. */
const SET_DAY = 'day = $3::date, opening_version = case when $3::date > a.day then a.version else a.opening_version end'

const PLACES = mapRows<PlaceCall>(6, {
  player: ['text', (call) => call.player],
  bet_id: ['text', (call) => call.betId],
  token: ['text', (call) => call.token],
  currency: ['text', (call) => call.currency],
  stake: ['bigint', (call) => call.stake],
  odds_payout: ['bigint', (call) => call.oddsPayout],
  request_id: ['text', (call) => call.requestId],
  platform: ['text', (call) => call.platform],
  site: ['text', (call) => call.site],
  details: ['json', (call) => call.details],
})

/**
 * The debit comes first, and all later writes use its result. Each lookup uses only the primary key
 * (`limit 1`). All other conditions are outside the lookups, so Postgres never chooses another
 * index or plan.
 */
export const buildPlaceSql = (changeId?: string) =>
  `with fine as materialized (
     select k.*, a.place
     from ${PLACES.from} k
     cross join lateral (
       select ${IS_UNRESTRICTED} and ${IS_LOCKED} as is_plain, self_excluded_until, birthday
       from purser.player where bucket = $1::int and player = k.player limit 1
     ) p
     cross join lateral (
       select player, currency, expires_at, ended_at from purser.session where bucket = $1::int and token_hash = k.token limit 1
     ) s
     cross join lateral (
       select ctid as place, balance, day from purser.account where bucket = $1::int and player = k.player and currency = k.currency limit 1
     ) a
     where is_plain
       and (self_excluded_until is null or self_excluded_until <= $2::timestamptz)
       and (birthday is null or birthday collate "C" <= $4::text)
       and s.player = k.player and s.currency = k.currency and ended_at is null and expires_at > $2::timestamptz
       and balance >= k.stake and day <= $3::date
       and (select 1 from purser.bet where bucket = $1::int and bet_id = k.bet_id and player = k.player limit 1) is null
   ), debited as (
     update purser.account a set balance = a.balance - f.stake, version = a.version + 1, ${SET_DAY}
     from fine f where a.ctid = f.place
     returning f.*, a.version, a.balance
   ), transfers as (
     insert into purser.transfer
       (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, platform, site, at)
     select $1::int, player, currency, version, 'stake', 'player', 'open_stakes', stake, balance, bet_id, request_id, platform, site, $2::timestamptz
     from debited
   ), bets as (
     insert into purser.bet (bucket, player, bet_id, platform, site, status, calls, currency, stake, funder, odds_payout, stake_version,
       request_id, placed_at, first_seen_at, changed_at)
     select $1::int, player, bet_id, platform, site, 'open', 1, currency, stake, 'player', odds_payout, version,
       request_id, $2::timestamptz, $2::timestamptz, $2::timestamptz
     from debited
   ), described as (
     insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
     select $1::int, $2::timestamptz, bet_id, player, details from debited
   ), found_by as (
     insert into purser.bet_event (bucket, event_id, first_seen_at)
     select $1::int, event_id, $2::timestamptz from unnest($5::text[]) as e (event_id) where exists (select from debited)
   ), feed_events as (
     ${buildTakenChangesSql('bet.placed', 'debited', changeId)}
   ) select array_agg(ord::int) as taken from debited`

export const PLACE_STATEMENT = statement('fast_path_place', buildPlaceSql())

const RESULTS = mapRows<SettleCall>(6, {
  player: ['text', (call) => call.player],
  bet_id: ['text', (call) => call.betId],
  currency: ['text', (call) => call.currency],
  payout: ['bigint', (call) => call.payout],
  result_type: ['text', (call) => call.resultType],
  request_id: ['text', (call) => call.requestId],
  signer: ['text', (call) => call.platform],
})

/**
 * Applies the first result of a bet. The bet has had only the call that opened it, so this call
 * cannot be a repeat. It comes from the bet's own platform (W-43), and the payout is within the
 * odds (W-49).
 *
 * The statement closes the stake and pays the payout. If it writes the account but not the bet, it
 * raises an error, which undoes everything.
 */
export const buildSettleSql = (changeId?: string) =>
  `with fine as materialized (
     select k.*, b.place as bet_place, b.platform, b.site, b.stake, a.place
     from ${RESULTS.from} k
     cross join lateral (
       select ${IS_LOCKED} as is_locked from purser.player where bucket = $1::int and player = k.player limit 1
     ) p
     cross join lateral (
       select ctid as place, platform, site, status, calls, currency, stake, funder, odds_payout
       from purser.bet where bucket = $1::int and bet_id = k.bet_id and player = k.player limit 1
     ) b
     cross join lateral (
       select ctid as place, balance, day from purser.account where bucket = $1::int and player = k.player and currency = k.currency limit 1
     ) a
     where is_locked and status = 'open' and calls = 1 and b.currency = k.currency and funder = 'player' and stake > 0
       and (odds_payout is null or k.payout <= odds_payout + ${ROUNDING_TOLERANCE})
       and (b.platform = k.signer or $5::boolean)
       and balance <= $4::bigint - k.payout and day <= $3::date
   ), credited as (
     update purser.account a set balance = a.balance + f.payout, version = a.version + case when f.payout > 0 then 2 else 1 end, ${SET_DAY}
     from fine f where a.ctid = f.place
     returning f.*, a.version, a.balance
   ), settled as (
     update purser.bet b set status = 'settled', calls = 2, last_result = 2, payout = c.payout, result_type = c.result_type,
       payee = 'player', changed_at = $2::timestamptz
     from credited c where b.ctid = c.bet_place
     returning 1
   ), transfers as (
     insert into purser.transfer
       (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, platform, site, at)
     select $1::int, player, currency, t.version, t.kind, t.debit, t.credit, t.amount, t.balance, bet_id, request_id, platform, site, $2::timestamptz
     from credited c
     cross join lateral (values
       (c.version - case when c.payout > 0 then 1 else 0 end, 'stake_closed', 'open_stakes', 'house', c.stake, c.balance - c.payout),
       (c.version, 'payout', 'house', 'player', c.payout, c.balance)
     ) as t (version, kind, debit, credit, amount, balance)
     where t.amount > 0
   ), calls as (
     insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type,
       outcome, transfers, effect_at, at)
     select $1::int, player, bet_id, 2, 'settle', request_id, payout, currency, result_type,
       'applied', case when payout > 0 then array[version - 1, version] else array[version] end, $2::timestamptz, $2::timestamptz
     from credited
   ), feed_events as (
     ${buildTakenChangesSql('bet.settled', 'credited', changeId)}
   ) select array_agg(ord::int) as taken, case when count(*) > (select count(*) from settled) then purser.raise_stale_row('a bet') end as raise_stale_row
   from credited`

export const SETTLE_STATEMENT = statement('fast_path_settle', buildSettleSql())

/** Parameters for one bucket, for Place bets with the ids of the events. */
export function toPlaceParameters(bucket: number, calls: readonly PlaceCall[], now: Date, rules: Rules): unknown[] {
  const events = [...new Set(calls.flatMap((call) => call.events))]
  return [bucket, isoOf(now), dayOf(now), latestBirthday(now, rules.minimumAge), events, ...PLACES.values(calls)]
}

export function toResultParameters(bucket: number, calls: readonly SettleCall[], now: Date, rules: Rules): unknown[] {
  return [bucket, isoOf(now), dayOf(now), MAX_BALANCE, rules.sharedBets, ...RESULTS.values(calls)]
}
