/**
 * Store of events: their states and odds for the control stage, and the results that settle bets.
 */

import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { CHUNK_ROWS } from '../../core/database/chunked-work.ts'
import { type Db, statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import type { SelectionResult } from './platform-bet.ts'

export type EventStatus = 'open' | 'suspended' | 'withdrawn' | 'ended'

const SAVE_EVENT = statement(
  'platform_save_event',
  `insert into platform.event (event_id, status, updated_at) values ($1, $2, $3::timestamptz)
   on conflict (event_id) do update set status = excluded.status, updated_at = excluded.updated_at`,
)

export interface OutcomeOdds {
  readonly outcomeId: string
  /** Decimal text. */
  readonly coefficient: string
}

const ODDS = mapRows<OutcomeOdds>(2, {
  outcome_id: ['text', ({ outcomeId }) => outcomeId],
  coefficient: ['text', ({ coefficient }) => coefficient],
})

const SAVE_ODDS = statement(
  'platform_save_odds',
  `insert into platform.outcome (event_id, ${ODDS.columns}) select $1, ${ODDS.columns} from ${ODDS.from} r
   on conflict (event_id, outcome_id) do update set coefficient = excluded.coefficient`,
)

/** The sub-select sorts the locks, so that two transactions cannot deadlock. */
const SHARE_EVENTS_OF = statement(
  'platform_share_events_of',
  `select pg_advisory_xact_lock_shared(1, key)
   from (select distinct hashtext(event_id) as key from platform.selection where bet_id = any($1::uuid[]) order by key offset 0) s`,
)
const LOCK_EVENT = statement('platform_lock_event', 'select pg_advisory_xact_lock(1, hashtext($1))')

/**
 * Until the transaction ends, results, odds and states of the bets' events cannot change, so no bet
 * is accepted after a result. Advisory locks are granted in the order of the requests. With
 * `for share` on the row, a steady flow of bets would block the result of a busy event for ever.
 */
export async function lockEventsShared(tx: Tx, betIds: readonly string[]): Promise<void> {
  await tx.query(SHARE_EVENTS_OF, [betIds])
}

const READ_ENDED = statement(
  'platform_read_ended_events',
  "select event_id from platform.event where event_id = any($1::text[]) and status = 'ended'",
)

export async function readEndedEvents(tx: Pick<Tx, 'query'>, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ event_id: string }>(READ_ENDED, [[...new Set(eventIds)]])
  return new Set(rows.map((row) => row.event_id))
}

const READ_STATE = statement('platform_read_event_state', 'select status from platform.event where event_id = $1')
const READ_ODDS = statement(
  'platform_read_named_odds',
  `select outcome_id as name, coefficient as value from platform.outcome
   where event_id = $1 and outcome_id = any($2::text[]) and coefficient is not null`,
)
const READ_RESULTS = statement(
  'platform_read_event_results',
  'select outcome_id as name, result as value from platform.outcome where event_id = $1 and result is not null',
)

export async function isKnownEvent(db: Pick<Db, 'query'>, eventId: string): Promise<boolean> {
  return (await db.query(READ_STATE, [eventId])).length > 0
}

type NameRow = { name: string; value: string }

const toValueByName = (rows: readonly NameRow[]) => Object.fromEntries(rows.map(({ name, value }) => [name, value]))

/** Sets the status, and the odds of the given outcomes; other odds stay. */
export async function saveEvent(
  db: Db,
  author: Actor,
  eventId: string,
  status: EventStatus,
  outcomes: readonly OutcomeOdds[],
  now: Date,
): Promise<void> {
  const names = outcomes.map((o) => o.outcomeId)
  await db.transaction(async (tx) => {
    const [, state, known] = await Promise.all([
      tx.query(LOCK_EVENT, [eventId]),
      tx.query<{ status: EventStatus }>(READ_STATE, [eventId]),
      tx.query<NameRow>(READ_ODDS, [eventId, names]),
    ])
    const before = { ...state[0], odds: toValueByName(known) }
    const after = { status, odds: toValueByName(outcomes.map((o) => ({ name: o.outcomeId, value: o.coefficient }))) }
    await Promise.all([
      tx.execute(SAVE_EVENT, [eventId, status, now]),
      tx.execute(SAVE_ODDS, [eventId, ...ODDS.values(outcomes)]),
      author.record(tx, { on: { eventId }, before, after, at: now }),
    ])
  })
}

const END_EVENT = statement(
  'platform_end_event',
  `insert into platform.event (event_id, status, updated_at) values ($1, 'ended', $2::timestamptz)
   on conflict (event_id) do update set status = 'ended', updated_at = excluded.updated_at`,
)
/** A withdrawal does not change the event's status. An unknown event has no result to withdraw. */
const COUNT_RESULTS = statement(
  'platform_count_results',
  `update platform.event set results_version = results_version + 1, results_at = $2::timestamptz,
     results_pending_since = case when results_applied < results_version then coalesce(results_pending_since, results_at, $2::timestamptz)
       else $2::timestamptz end
   where event_id = $1 returning results_version`,
)
const CLEAR_RESULTS = statement(
  'platform_clear_results',
  'update platform.outcome set result = null where event_id = $1 and result is not null',
)

export interface OutcomeResult {
  readonly outcomeId: string
  readonly result: SelectionResult
}

const RESULTS = mapRows<OutcomeResult>(2, {
  outcome_id: ['text', ({ outcomeId }) => outcomeId],
  result: ['text', ({ result }) => result],
})

const SAVE_RESULTS = statement(
  'platform_save_results',
  `insert into platform.outcome (event_id, ${RESULTS.columns}) select $1, ${RESULTS.columns} from ${RESULTS.from} r
   on conflict (event_id, outcome_id) do update set result = excluded.result`,
)

/**
 * Replaces the results; no outcomes means a withdrawal. A result ends the event. Returns the
 * version of the results for `markResultsApplied`.
 */
export async function saveEventResults(
  tx: Tx,
  author: Actor,
  eventId: string,
  outcomes: readonly OutcomeResult[],
  now: Date,
): Promise<bigint> {
  const [, state, known] = await Promise.all([
    tx.query(LOCK_EVENT, [eventId]),
    tx.query<{ status: EventStatus }>(READ_STATE, [eventId]),
    tx.query<NameRow>(READ_RESULTS, [eventId]),
  ])
  const results = toValueByName(outcomes.map((o) => ({ name: o.outcomeId, value: o.result })))
  const before = { ...state[0], results: toValueByName(known) }
  const after = { ...state[0], ...(outcomes.length > 0 && { status: 'ended' }), results }
  const [, counted] = await Promise.all([
    outcomes.length > 0 && tx.execute(END_EVENT, [eventId, now]),
    tx.query<{ results_version: bigint }>(COUNT_RESULTS, [eventId, now]),
    tx.execute(CLEAR_RESULTS, [eventId]),
    tx.execute(SAVE_RESULTS, [eventId, ...RESULTS.values(outcomes)]),
    author.record(tx, { on: { eventId }, before, after, at: now }),
  ])
  return counted[0]?.results_version ?? 0n
}

const RESULTS_APPLIED = statement(
  'platform_results_applied',
  'update platform.event set results_applied = greatest(results_applied, $2::bigint) where event_id = $1',
)

/** Results that some bets on the event do not follow yet. */
export interface PendingResults {
  readonly eventId: string
  readonly version: bigint
}

/** Every bet on the event follows this version. */
export async function markResultsApplied(db: Db, { eventId, version }: PendingResults): Promise<void> {
  await db.transaction((tx) => tx.execute(RESULTS_APPLIED, [eventId, version]))
}

/**
 * Each heartbeat has a new value, even if the clock was set back, so that watchers see every one.
 */
const HEARTBEAT = "greatest($3::timestamptz, results_at + interval '1 millisecond')"
const CONTINUE_RESULTS = statement(
  'platform_continue_results',
  `update platform.event set results_at = ${HEARTBEAT} where event_id = $1 and results_version = $2::bigint`,
)

/**
 * Writes a heartbeat of the process that applies the results. Returns false if newer results exist.
 */
export async function renewResults(db: Db, { eventId, version }: PendingResults, now: Date): Promise<boolean> {
  return (await db.transaction((tx) => tx.execute(CONTINUE_RESULTS, [eventId, version, now]))) > 0
}

/** `heartbeat` has all digits that Postgres writes. */
export interface ObservedResults extends PendingResults {
  readonly heartbeat: string
}

/**
 * A scan reads the events with the oldest heartbeats. Active events write new ones and are last.
 */
const MAX_SCANNED_EVENTS = 1_000
const PENDING_RESULTS = statement(
  'platform_pending_results',
  `select event_id, results_version, results_at::text as sign from platform.event
   where results_applied < results_version order by results_at limit ${MAX_SCANNED_EVENTS}`,
)

/** Events with pending results of any process, the oldest heartbeat first. */
export async function readPendingResults(db: Pick<Tx, 'query'>): Promise<ObservedResults[]> {
  const rows = await db.query<{ event_id: string; results_version: bigint; sign: string }>(PENDING_RESULTS)
  return rows.map(({ event_id: eventId, results_version: version, sign }) => ({ eventId, version, heartbeat: sign }))
}

const TAKE_OVER_RESULTS = statement(
  'platform_take_up_results',
  `update platform.event set results_at = ${HEARTBEAT}
   where event_id = $1 and results_version = $2::bigint and results_applied < results_version and results_at = $4::timestamptz`,
)

/**
 * Writes a heartbeat before the work starts. Returns false if another process has written one, or
 * newer results exist.
 */
export async function takeOverResults(db: Db, observed: ObservedResults, now: Date): Promise<boolean> {
  const { eventId, version, heartbeat } = observed
  return (await db.transaction((tx) => tx.execute(TAKE_OVER_RESULTS, [eventId, version, now, heartbeat]))) > 0
}

const BETS_ON_EVENT = statement(
  'platform_bets_on_event',
  `select distinct bet_id from platform.selection
   where event_id = $1 and bet_id > $2::uuid order by bet_id limit ${CHUNK_ROWS}`,
)
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** The next slice of bets in the order of their ids. */
export async function readBetIdsOfEvent(db: Db, eventId: string, after = BEFORE_ALL): Promise<string[]> {
  return (await db.query<{ bet_id: string }>(BETS_ON_EVENT, [eventId, after])).map((row) => row.bet_id)
}
