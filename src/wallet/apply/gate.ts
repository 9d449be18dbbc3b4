/**
 * The gate takes the calls of a batch that are plainly fine, and leaves the others to judge.ts: Place bets of plain players with a live
 * token and enough money, and the first results of open bets. It is a narrowing of the rules: it may leave anything, and takes nothing
 * that the rules would not accept in exactly that way. It remembers nothing.
 *
 * One transaction in one write: BEGIN, lock, place, settle, COMMIT. Locked are the players, as by everybody who moves their money or
 * ends their sessions; those that are not free are left out. `place` and `settle` see what was committed before the locks were held, as
 * every statement has a snapshot of its own: no account, session or bet of a locked player moves behind their back.
 */
import type { Db, Tx } from '../../db/db.ts'
import { statement } from '../../db/db.ts'
import { rowsOf } from '../../db/rows.ts'
import { dayOf, isoOf } from '../../ledger/account.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { MAX_BALANCE } from '../../protocol/money.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rules } from '../decide/decision.ts'
import { funderOf } from '../decide/place.ts'
import { latestBirthday } from '../decide/place-limits.ts'
import { contradictsAmount } from '../decide/settle.ts'
import type { BetCall, PlaceCall, SettleCall } from '../store/bet.ts'
import { insertTaken } from '../store/change.ts'
import { IS_MARKED } from '../store/player.ts'
import { isTooLate, type WaitingCall } from './judge.ts'

/** `busy`: somebody else holds the player. `left`: for the rules to judge. */
export type Verdict =
  | { readonly kind: 'taken'; readonly at: Date }
  | { readonly kind: 'busy' }
  | { readonly kind: 'left' }

export interface GateDeps {
  readonly transaction: Db['transaction']
  readonly clock: Clock
  readonly rules: Rules
}

/** What the statements do not look at: a bet that promotions pay, a cashout's token, a result that contradicts itself. */
export function mayPass(call: BetCall, rules: Rules): boolean {
  if (call.kind === 'place') return funderOf(call, rules) === 'player'
  return call.kind === 'settle' && call.resultType !== 'cashout' && !contradictsAmount(call)
}

const LEFT: Verdict = { kind: 'left' }
const BUSY: Verdict = { kind: 'busy' }

/** Calls that may pass, at most one of each player. Rejects when nothing was taken, or that is not known. */
export async function takePlain(
  { transaction, clock, rules }: GateDeps,
  bucket: number,
  waiting: readonly WaitingCall[],
): Promise<Verdict[]> {
  const { now, busy, taken } = await transaction(async (tx) => {
    const now = clock.now()
    const calls = waiting.filter((one) => !isTooLate(one)).map(({ call }) => call)
    const [busy, placed, settled] = await tx.finish(() =>
      Promise.all([
        lockFree(tx, bucket, calls),
        place(
          tx,
          bucket,
          calls.filter((call) => call.kind === 'place'),
          now,
          rules,
        ),
        settle(
          tx,
          bucket,
          calls.filter((call) => call.kind === 'settle'),
          now,
          rules,
        ),
      ]),
    )
    return { now, busy, taken: new Set<BetCall>([...placed, ...settled]) }
  })
  return waiting.map(({ call }) => {
    if (taken.has(call)) return { kind: 'taken', at: now }
    return busy.has(call.player) ? BUSY : LEFT
  })
}

/**
 * Locks the players that are free; answers with those that are not. Nobody is waited for, so no order of locks matters. Whether a player exists
 * is asked only of those that were not locked: beside the other condition, with `and`, Postgres would look for each of them first.
 */
const LOCK_FREE = statement(
  'gate_lock',
  `select k.player from unnest($2::text[]) as k (player)
   left join lateral (
     select 1 as held from purser.player where bucket = $1::int and player = k.player limit 1 for update skip locked
   ) p on true
   where case when held is null then (select 1 from purser.player where bucket = $1::int and player = k.player limit 1) is not null end`,
)

async function lockFree(tx: Tx, bucket: number, calls: readonly BetCall[]): Promise<ReadonlySet<PlayerId>> {
  const rows = await tx.query<{ player: PlayerId }>(LOCK_FREE, [bucket, calls.map(({ player }) => player)])
  return new Set(rows.map(({ player }) => player))
}

/** A row that this transaction has locked bears its number. */
const IS_LOCKED = 'xmax = pg_current_xact_id()::xid'

/** What becomes of an account, in both statements: one that is a day ahead by another clock is left. */
const ON_ITS_DAY =
  'day = $3::date, opening_version = case when $3::date > a.day then a.version else a.opening_version end'

const PLACES = rowsOf<PlaceCall>(6, {
  player: ['text', (call) => call.player],
  bet_id: ['text', (call) => call.betId],
  token: ['text', (call) => call.token],
  currency: ['text', (call) => call.currency],
  stake: ['bigint', (call) => call.stake],
  request_id: ['text', (call) => call.requestId],
  platform: ['text', (call) => call.platform],
  site: ['text', (call) => call.site],
  details: ['json', (call) => call.details],
})

/**
 * The debit comes first, and everything else out of what it returns. Each lookup is by primary key alone (`limit 1`), what else must be
 * true is compared outside, so that no other index and no other plan is ever chosen.
 */
const PLACE = statement(
  'gate_place',
  `with fine as materialized (
     select k.*, a.place
     from ${PLACES.from} k
     cross join lateral (
       select ${IS_MARKED} and ${IS_LOCKED} as is_plain, self_excluded_until, birthday
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
     update purser.account a set balance = a.balance - f.stake, version = a.version + 1, ${ON_ITS_DAY}
     from fine f where a.ctid = f.place
     returning f.*, a.version, a.balance
   ), transfers as (
     insert into purser.transfer
       (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, platform, site, at)
     select $1::int, player, currency, version, 'stake', 'player', 'open_stakes', stake, balance, bet_id, request_id, platform, site, $2::timestamptz
     from debited
   ), bets as (
     insert into purser.bet (bucket, player, bet_id, platform, site, status, calls, currency, stake, funder, stake_version, request_id,
       placed_at, first_seen_at, changed_at)
     select $1::int, player, bet_id, platform, site, 'open', 1, currency, stake, 'player', version, request_id,
       $2::timestamptz, $2::timestamptz, $2::timestamptz
     from debited
   ), described as (
     insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
     select $1::int, $2::timestamptz, bet_id, player, details from debited
   ), found_by as (
     insert into purser.bet_event (bucket, event_id, first_seen_at)
     select $1::int, event_id, $2::timestamptz from unnest($5::text[]) as e (event_id) where exists (select from debited)
   ), told as (
     ${insertTaken('bet.placed', 'debited')}
   ) select array_agg(ord::int) as taken from debited`,
)

async function place(
  tx: Tx,
  bucket: number,
  calls: readonly PlaceCall[],
  now: Date,
  rules: Rules,
): Promise<PlaceCall[]> {
  if (calls.length === 0) return []
  const events = [...new Set(calls.flatMap((call) => call.events))]
  const moment = [isoOf(now), dayOf(now), latestBirthday(now, rules.minimumAge)]
  const values = [bucket, ...moment, events, ...PLACES.values(calls)]
  return takenOf(calls, await tx.query<Taken>(PLACE, values))
}

const RESULTS = rowsOf<SettleCall>(6, {
  player: ['text', (call) => call.player],
  bet_id: ['text', (call) => call.betId],
  currency: ['text', (call) => call.currency],
  payout: ['bigint', (call) => call.payout],
  result_type: ['text', (call) => call.resultType],
  request_id: ['text', (call) => call.requestId],
  signer: ['text', (call) => call.platform],
})

/**
 * A first result: the bet has seen one call, which opened it, so there is nothing that this one could repeat; and it is of the
 * call's own platform (W-43). The stake is closed, and what
 * is won is paid. A bet that is not written though its account was, is an error in SQL, and undoes all of it.
 */
const SETTLE = statement(
  'gate_settle',
  `with fine as materialized (
     select k.*, b.place as bet_place, b.platform, b.site, b.stake, a.place
     from ${RESULTS.from} k
     cross join lateral (
       select ${IS_LOCKED} as is_locked from purser.player where bucket = $1::int and player = k.player limit 1
     ) p
     cross join lateral (
       select ctid as place, platform, site, status, calls, currency, stake, funder
       from purser.bet where bucket = $1::int and bet_id = k.bet_id and player = k.player limit 1
     ) b
     cross join lateral (
       select ctid as place, balance, day from purser.account where bucket = $1::int and player = k.player and currency = k.currency limit 1
     ) a
     where is_locked and status = 'open' and calls = 1 and b.currency = k.currency and funder = 'player' and stake > 0
       and (b.platform = k.signer or $5::boolean)
       and balance <= $4::bigint - k.payout and day <= $3::date
   ), credited as (
     update purser.account a set balance = a.balance + f.payout, version = a.version + case when f.payout > 0 then 2 else 1 end, ${ON_ITS_DAY}
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
   ), told as (
     ${insertTaken('bet.settled', 'credited')}
   ) select array_agg(ord::int) as taken, case when count(*) > (select count(*) from settled) then purser.moved_on('a bet') end as moved_on
   from credited`,
)

async function settle(
  tx: Tx,
  bucket: number,
  calls: readonly SettleCall[],
  now: Date,
  { sharedBets }: Rules,
): Promise<SettleCall[]> {
  if (calls.length === 0) return []
  const values = [bucket, isoOf(now), dayOf(now), MAX_BALANCE, sharedBets, ...RESULTS.values(calls)]
  return takenOf(calls, await tx.query<Taken>(SETTLE, values))
}

/** Places in the list, counted from 1; null for none. */
interface Taken extends Record<string, unknown> {
  taken: number[] | null
}

function takenOf<C>(calls: readonly C[], [row]: readonly Taken[]): C[] {
  return (row?.taken ?? []).flatMap((ord) => calls[ord - 1] ?? [])
}
