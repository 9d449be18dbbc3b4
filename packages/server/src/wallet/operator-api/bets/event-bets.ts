/**
 * Bets on a sports event, or on one of its outcomes (W-44), newest first. The table
 * `purser.bet_event` has only the times of batches with such bets, so the details of every bet in
 * these batches are searched.
 */

import { parseDescribedId, parseSelections } from '@purser/protocol/bet-description'
import { statement } from '../../../core/database/db.ts'
import type { Cursor, TimeRange } from '../../../core/http/api/pagination.ts'
import { BET_COLUMNS, type BetRow } from '../../store/bet-store.ts'
import type { OperatorDeps } from '../operator-context.ts'

/** Times per page at most. A time belongs to a batch, which can have several bets. */
const MAX_SCANNED_TIMES = 1_000

export interface EventBetQuery {
  readonly eventId: string
  readonly outcomeId: string | undefined
  readonly status: string | undefined
  readonly platform: string | undefined
  readonly player: string | undefined
  readonly range: TimeRange
  readonly after: Cursor | undefined
  readonly limit: number
}

interface DescribedBetRow extends BetRow {
  details: { metadata?: unknown }
}

const TIMES = `select distinct first_seen_at from purser.bet_event
  where event_id = $1::text and first_seen_at >= $2::timestamptz and first_seen_at < $3::timestamptz and first_seen_at <= $4::timestamptz
  order by first_seen_at desc`

/**
 * Searches the details as the text that we wrote, because Postgres cannot read JSON with a NUL in a
 * text.
 */
const FIND = statement(
  'operator_list_bets_on_event',
  `select b.*, d.details from (${TIMES} limit ${MAX_SCANNED_TIMES}) t
   cross join lateral (select distinct bucket from purser.bet_event where event_id = $1::text and first_seen_at = t.first_seen_at) p
   cross join lateral (
     select bet_id, player, details from purser.bet_details
     where bucket = p.bucket and first_seen_at = t.first_seen_at and ${buildContainsAny('$7')} and ($8::text[] is null or ${buildContainsAny('$8')}) offset 0
   ) d
   cross join lateral (
     select ${BET_COLUMNS} from purser.bet where bucket = p.bucket and bet_id = d.bet_id and player = d.player limit 1
   ) b
   where (t.first_seen_at, d.player, d.bet_id) < ($4::timestamptz, $5::text, $6::text)
     and ($9::text is null or b.status = $9) and ($10::text is null or b.platform = $10) and ($11::text is null or d.player = $11)
   order by t.first_seen_at desc, d.player desc, d.bet_id desc limit $12::int`,
  `select b.*, d.details from (${TIMES} limit ${MAX_SCANNED_TIMES}) t
   join (select distinct bucket, first_seen_at from purser.bet_event where event_id = $1::text) p on p.first_seen_at = t.first_seen_at
   join purser.bet_details d on d.bucket = p.bucket and d.first_seen_at = t.first_seen_at
   join (select bucket, ${BET_COLUMNS} from purser.bet) b on b.bucket = d.bucket and b.bet_id = d.bet_id and b.player = d.player
   where ${buildContainsAny('$7')} and ($8::text[] is null or ${buildContainsAny('$8')})
     and (t.first_seen_at, d.player, d.bet_id) < ($4::timestamptz, $5::text, $6::text)
     and ($9::text is null or b.status = $9) and ($10::text is null or b.platform = $10) and ($11::text is null or d.player = $11)
   order by t.first_seen_at desc, d.player desc, d.bet_id desc limit $12::int`,
)
const LAST_TIME = statement('operator_last_time_of_event', `${TIMES} offset ${MAX_SCANNED_TIMES - 1} limit 1`)

function buildContainsAny(texts: string): string {
  return `(${[1, 2, 3].map((i) => `strpos(details::text, (${texts}::text[])[${i}]) > 0`).join(' or ')})`
}

/** Spellings of the member in JSON, with the id as a text or a number. */
function toSearchTexts(member: string, id: string): string[] {
  return [`"${member}":"${id}"`, `"${member}":${id},`, `"${member}":${id}}`]
}

/** Reads at most `limit` + 1 candidates; `isOnEvent` makes the final decision. */
export function findBetsOnEvent({ db }: OperatorDeps, query: EventBetQuery): Promise<DescribedBetRow[]> {
  const { eventId, outcomeId, status, platform, player, after, limit } = query
  const [id = '', betId = ''] = after?.ids ?? []
  const texts = [
    toSearchTexts('eventId', eventId),
    outcomeId === undefined ? null : toSearchTexts('outcomeId', outcomeId),
  ]
  const others = [status ?? null, platform ?? null, player ?? null, limit + 1]
  return db.userQueries.query<DescribedBetRow>(FIND, [...toTimeParameters(query), id, betId, ...texts, ...others])
}

/** Last scanned time, at which an unfilled page ends; undefined if no more follow. */
export async function readLastScannedTime({ db }: OperatorDeps, query: EventBetQuery): Promise<Date | undefined> {
  const [last] = await db.userQueries.query<{ first_seen_at: Date }>(LAST_TIME, toTimeParameters(query))
  return last?.first_seen_at
}

function toTimeParameters({ eventId, range: { from, to }, after }: EventBetQuery) {
  return [eventId, from ?? '-infinity', to ?? 'infinity', after?.at ?? 'infinity']
}

/**
 * True if one selection has both ids. Two selections, or two bets of a batch, can have one each.
 */
export function isOnEvent({ details }: DescribedBetRow, { eventId, outcomeId }: EventBetQuery): boolean {
  const matchesId = (expected: string | undefined, id: unknown) =>
    expected === undefined || parseDescribedId(id) === expected
  return parseSelections(details.metadata).some(
    (one) => matchesId(eventId, one.eventId) && matchesId(outcomeId, one.outcomeId),
  )
}
