/** Events: what the control stage looks at, and the results that settle bets. */
import { type Db, statement, type Tx } from '../db/db.ts'
import type { SelectionResult } from './bet.ts'

export type EventStatus = 'open' | 'suspended' | 'withdrawn' | 'ended'

const SAVE_EVENT = statement(
  'platform_save_event',
  `insert into platform.event (event_id, status, updated_at) values ($1, $2, $3::timestamptz)
   on conflict (event_id) do update set status = excluded.status, updated_at = excluded.updated_at`,
)
const SAVE_ODDS = statement(
  'platform_save_odds',
  `insert into platform.outcome (event_id, outcome_id, coefficient)
   select $1, r.outcome_id, r.coefficient from unnest($2::text[], $3::text[]) as r (outcome_id, coefficient)
   on conflict (event_id, outcome_id) do update set coefficient = excluded.coefficient`,
)

const KNOW_EVENTS = statement(
  'platform_know_events',
  `insert into platform.event (event_id, status, updated_at)
   select e, 'open', $2::timestamptz from unnest($1::text[]) as e order by e on conflict (event_id) do nothing`,
)
const HOLD_EVENTS = statement(
  'platform_hold_events',
  'select event_id from platform.event where event_id = any($1::text[]) order by event_id for share',
)

/** An event that a bet names is there from then on, taken as open until the platform is told otherwise. */
export async function knowEvents(tx: Tx, eventIds: readonly string[], now: Date): Promise<void> {
  await tx.execute(KNOW_EVENTS, [[...new Set(eventIds)], now])
}

/** Results, odds and states of these events cannot change until the transaction ends: no bet is accepted past a result. */
export async function holdEvents(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.query(HOLD_EVENTS, [[...new Set(eventIds)]])
}

export interface OutcomeOdds {
  readonly outcomeId: string
  /** Decimal text. */
  readonly coefficient: string
}

/** Sets the event's status and the odds of the outcomes that are named; others stay as they are. */
export async function saveEvent(
  db: Db,
  eventId: string,
  status: EventStatus,
  outcomes: readonly OutcomeOdds[],
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(SAVE_EVENT, [eventId, status, now])
    await tx.execute(SAVE_ODDS, [eventId, outcomes.map((o) => o.outcomeId), outcomes.map((o) => o.coefficient)])
  })
}

const END_EVENT = statement(
  'platform_end_event',
  `insert into platform.event (event_id, status, updated_at) values ($1, 'ended', $2::timestamptz)
   on conflict (event_id) do update set status = 'ended', updated_at = excluded.updated_at`,
)
const LOCK_EVENT = statement(
  'platform_lock_event',
  'select event_id from platform.event where event_id = $1 for no key update',
)
const CLEAR_RESULTS = statement(
  'platform_clear_results',
  'update platform.outcome set result = null where event_id = $1 and result is not null',
)
const SAVE_RESULTS = statement(
  'platform_save_results',
  `insert into platform.outcome (event_id, outcome_id, result)
   select $1, r.outcome_id, r.result from unnest($2::text[], $3::text[]) as r (outcome_id, result)
   on conflict (event_id, outcome_id) do update set result = excluded.result`,
)

export interface OutcomeResult {
  readonly outcomeId: string
  readonly result: SelectionResult
}

/** Replaces the event's results; none: they are withdrawn. A result ends the event. */
export async function saveResults(
  tx: Tx,
  eventId: string,
  outcomes: readonly OutcomeResult[],
  now: Date,
): Promise<void> {
  if (outcomes.length > 0) await tx.execute(END_EVENT, [eventId, now])
  else await tx.query(LOCK_EVENT, [eventId]) // results of one event are written one after another
  await tx.execute(CLEAR_RESULTS, [eventId])
  await tx.execute(SAVE_RESULTS, [eventId, outcomes.map((o) => o.outcomeId), outcomes.map((o) => o.result)])
}

const BETS_ON_EVENT = statement(
  'platform_bets_on_event',
  `select distinct bet_id from platform.selection
   where event_id = $1 and bet_id > $2::uuid order by bet_id limit 500`,
)
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** The next slice of bets on an event, by id. */
export async function readBetsOn(db: Db, eventId: string, after = BEFORE_ALL): Promise<string[]> {
  return (await db.query<{ bet_id: string }>(BETS_ON_EVENT, [eventId, after])).map((row) => row.bet_id)
}
