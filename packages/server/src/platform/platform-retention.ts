/**
 * Retention on the platform (O-6). It deletes:
 * - partner answers and remaining tokens of ended bets;
 * - tokens and profiles of old frame sessions;
 * - old events of the feed and old bulk retries.
 *
 * Each slice is a transaction, so that no other work waits long. Completed slices stay if the run
 * ends early.
 *
 * Invariant: bets, deliveries and their money stay. A bet has ended if it was declined, cancelled
 * or settled before the given time and has not changed since. No delivery of the bet waits, is
 * sent, is stuck or is owed (C-9), and none was since that time.
 */

import type { UserProfile } from '@purser/protocol/user-profile'
import { countOldChanges, deleteOldChanges } from '../core/change-feed/feed-retention.ts'
import { CHUNK_ROWS, runInChunks } from '../core/database/chunked-work.ts'
import { type Db, type Row, type Statement, statement, type Tx } from '../core/database/db.ts'
import { mapRows } from '../core/database/row-mapping.ts'
import { REDACT_TOKEN } from './store/outbox.ts'
import { PLATFORM_CHANGES } from './store/platform-change-feed.ts'

export interface RetentionCounts {
  /** Ended bets with partner answers or a token. */
  readonly bets: number
  /** Partner answers of these bets. */
  readonly attempts: number
  readonly frameSessions: number
  /** Rows of the feed; most contain several events. */
  readonly changes: number
  /** Bulk retries with their lists of deliveries. */
  readonly retries: number
}

const IS_OVER = (bet: string, before: string) => `${bet}.changed_at < ${before}::timestamptz
  and ${bet}.status in ('declined', 'cancelled', 'settled') and not exists (
    select from platform.delivery d where d.bet_id = ${bet}.bet_id
      and (d.status in ('waiting', 'pending', 'stuck') or d.owed_since is not null or d.finished_at >= ${before}::timestamptz))
  and (${bet}.token <> '' or exists (
    select from platform.delivery d join platform.attempt a using (delivery_id) where d.bet_id = ${bet}.bet_id))`

/** A retry that was cut short has only its last slice as an end. */
const IS_OLD_RETRY = (retry: string) => `${retry}.at < $1::timestamptz and ${retry}.progress_at < $1::timestamptz
  and coalesce(${retry}.finished_at, ${retry}.progress_at) < $1::timestamptz`

const COUNT = statement(
  'platform_count_old',
  `with over as materialized (
     select b.bet_id from platform.bet b where b.placed_at < $1::timestamptz and ${IS_OVER('b', '$1')}
   )
   select (select count(*) from over)::int as bets,
     (select count(*) from over join platform.delivery d using (bet_id) join platform.attempt a using (delivery_id))::int as attempts,
     (select count(*) from platform.frame_session f where f.created_at < $1::timestamptz and f.token <> '')::int as frame_sessions,
     (select count(*) from platform.retry y where ${IS_OLD_RETRY('y')})::int as retries`,
)

interface OldCountRow extends Row {
  bets: number
  attempts: number
  frame_sessions: number
  retries: number
}

export function countOld(db: Db, before: Date): Promise<RetentionCounts> {
  return db.snapshot(async (tx) => {
    const [row] = await tx.query<OldCountRow>(COUNT, [before])
    if (row === undefined) throw new Error('the database returned no count')
    const { bets, attempts, frame_sessions: frameSessions, retries } = row
    return { bets, attempts, frameSessions, retries, changes: await countOldChanges(tx, PLATFORM_CHANGES, before) }
  })
}

interface OldBetPosition extends Row {
  at: string
  id: string
}
const FIRST: OldBetPosition = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

const NEXT_BETS = statement(
  'platform_next_old_bets',
  `select placed_at::text as at, bet_id::text as id from platform.bet
   where placed_at < $1::timestamptz and (placed_at, bet_id) > ($2::timestamptz, $3::uuid) order by placed_at, bet_id limit ${CHUNK_ROWS}`,
)

/** A locked bet is skipped: it has not ended, or has just changed. */
const CLEAR_BETS = statement(
  'platform_clear_old_bets',
  `with over as (
     select b.bet_id from platform.bet b where b.bet_id = any($1::uuid[]) and ${IS_OVER('b', '$2')} for update of b skip locked
   ), of_bets as (
     update platform.bet b set token = '' from over where b.bet_id = over.bet_id
   ), of_bodies as (
     update platform.message m set body = ${REDACT_TOKEN('m.body')}
     from over join platform.delivery d on d.bet_id = over.bet_id where m.delivery_id = d.delivery_id and m.body like '%"token":"_%'
   ), gone as (
     delete from platform.attempt a using over join platform.delivery d on d.bet_id = over.bet_id
     where a.delivery_id = d.delivery_id returning a.number
   )
   select (select count(*) from over)::int as bets, (select count(*) from gone)::int as attempts`,
)

const OLD_SESSIONS = statement(
  'platform_old_sessions',
  `select frame_session_id as id, profile::text as profile from platform.frame_session
   where token <> '' and created_at < $1::timestamptz order by created_at, frame_session_id limit ${CHUNK_ROWS} for update skip locked`,
)

interface OldSession extends Row {
  id: string
  profile: string
}

/**
 * The part of a profile that a cashout needs stays, because bets of the session may be open (C-8).
 */
const CLEARED = mapRows<OldSession>(1, {
  id: ['uuid', ({ id }) => id],
  profile: ['json', ({ profile }) => JSON.stringify(toCashoutProfile(JSON.parse(profile)))],
})
const CLEAR_SESSIONS = statement(
  'platform_clear_old_sessions',
  `update platform.frame_session f set token = '', profile = r.profile from ${CLEARED.from} r where f.frame_session_id = r.id`,
)

/**
 * Parsed here, because Postgres rejects JSON texts with NUL or half a surrogate pair, which a
 * partner may send.
 */
function toCashoutProfile({ userId, currency, customFields }: UserProfile): UserProfile {
  const isCashOutAllowed = customFields?.isCashOutAllowed
  return { userId, currency, customFields: isCashOutAllowed === undefined ? {} : { isCashOutAllowed } }
}

const CLEAR_RETRIED = statement(
  'platform_clear_old_retried',
  `delete from platform.retry_delivery d where (d.retry_id, d.delivery_id) in (
     select r.retry_id, r.delivery_id from platform.retry y join platform.retry_delivery r using (retry_id) where ${IS_OLD_RETRY('y')} limit ${CHUNK_ROWS})`,
)
const CLEAR_RETRIES = statement(
  'platform_clear_old_retries',
  `delete from platform.retry d where d.retry_id in (select y.retry_id from platform.retry y where ${IS_OLD_RETRY('y')} limit ${CHUNK_ROWS})`,
)

/** Returns the deleted numbers. `signal` ends the run between two slices. */
export async function clearOld(db: Db, before: Date, signal: AbortSignal): Promise<RetentionCounts> {
  const ofBets = await clearBets(db, before, signal)
  const frameSessions = await clearSessions(db, before, signal)
  const changes = await deleteOldChanges(db, PLATFORM_CHANGES, before, signal)
  return { ...ofBets, frameSessions, changes, retries: await clearRetries(db, before, signal) }
}

/** A retry is deleted after its last list entry. */
async function clearRetries(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  const slices = (slice: Statement) => runInChunks(signal, () => db.transaction((tx) => tx.execute(slice, [before])))
  await slices(CLEAR_RETRIED)
  return slices(CLEAR_RETRIES)
}

/**
 * Clears tokens and profiles of frame sessions that were created before this time. Returns their
 * number.
 */
export function clearSessions(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  const clearSome = async (tx: Tx) => {
    const old = await tx.query<OldSession>(OLD_SESSIONS, [before])
    return tx.execute(CLEAR_SESSIONS, CLEARED.values(old))
  }
  return runInChunks(signal, () => db.transaction(clearSome))
}

async function clearBets(
  db: Db,
  before: Date,
  signal: AbortSignal,
): Promise<Pick<RetentionCounts, 'bets' | 'attempts'>> {
  const sum = { bets: 0, attempts: 0 }
  let last: OldBetPosition | undefined = FIRST
  while (last !== undefined && !signal.aborted) {
    const slice: OldBetPosition[] = await db.query<OldBetPosition>(NEXT_BETS, [before, last.at, last.id])
    last = slice.at(-1)
    const ids = slice.map(({ id }) => id)
    const [cleared] = await db.transaction((tx) =>
      tx.query<{ bets: number; attempts: number }>(CLEAR_BETS, [ids, before]),
    )
    sum.bets += cleared?.bets ?? 0
    sum.attempts += cleared?.attempts ?? 0
  }
  return sum
}
