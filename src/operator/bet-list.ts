/** Bets of all players or of one, newest first, page by page. */
import { type Static, Type } from 'typebox'
import { type Composed, type Condition, compose } from '../db/conditions.ts'
import { LOOKS_AT, MAX_LOOKED_AT } from '../http/looked-at.ts'
import {
  type Cursor,
  decodeCursor,
  limitOf,
  onlyKnown,
  pageOf,
  pageQuery,
  type TimeRange,
  timeRangeQuery,
  toPage,
  toTimeRange,
  withMore,
} from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import { selectionsQuery } from '../http/selections.ts'
import { UserIdSchema } from '../protocol/bet-request.ts'
import { type BetId, type PlayerId, SELECTION_ID } from '../protocol/ids.ts'
import { sentIdSql } from '../protocol/second-id.ts'
import { BET_COLUMNS, type BetRow, toRecord } from '../wallet/store/bet-store.ts'
import { AskedStakeSchema, askedStakesOf } from './asked-stakes.ts'
import { BetSchema, showBet, toBetId } from './bets.ts'
import { findBetsOnEvent, isMeant, lastTimeOf } from './bets-on-event.ts'
import { onProperties, readDescribed, showOn } from './described.ts'
import { LAST } from './find-id.ts'
import { locate, type OperatorDeps } from './operator.ts'
import { RefusedResultSchema, refusedResultsOf } from './refused-results.ts'
import { BetIdSchema, BetStatusSchema, PlatformSchema } from './shapes.ts'

const optional = Type.Optional

const SELECTION = { minLength: 1, maxLength: 64 }
export const BetListSchema = pageOf(
  Type.Object({
    ...BetSchema.properties,
    askedStake: optional(AskedStakeSchema),
    refusedResult: optional(RefusedResultSchema),
    ...onProperties,
  }),
)
export const BetQuerySchema = Type.Object(
  {
    status: optional({
      ...BetStatusSchema,
      description: `Of open and settled bets ${LOOKS_AT}`,
    }),
    userId: optional(UserIdSchema),
    transactionId: optional({
      ...BetIdSchema,
      description: 'Also the bets of other platforms that came with this id, which are shown as `ID@NAME` (W-43).',
    }),
    platform: optional(PlatformSchema),
    eventId: optional(
      Type.String({
        ...SELECTION,
        description: 'Only bets with a selection of this event (W-44); not with `transactionId`.',
      }),
    ),
    outcomeId: optional(Type.String({ ...SELECTION, description: 'Only with `eventId`: with this outcome of it.' })),
    selections: selectionsQuery('each with what it is on, as its Place bet said.'),
    ...timeRangeQuery,
    ...pageQuery,
  },
  onlyKnown,
)
/** Their bets have entries of their own in an index (migration 0009). */
const RARE = ['unknown', 'cancelled', 'refused']

/**
 * Bets by the time they were first named, newest first. A page of open or settled bets has looked at so many bets and no more: it
 * can be shorter than wanted, even empty, with more to follow.
 */
export async function listBets(deps: OperatorDeps, query: Static<typeof BetQuerySchema>) {
  const limit = limitOf(query)
  const place = query.userId === undefined ? undefined : locate(deps, query.userId, '/query/userId')
  const cursor = decodeCursor(query.after, 3)
  const asked = {
    ...inRange('first_seen_at', toTimeRange(query)),
    after:
      cursor &&
      ([`(first_seen_at, player, bet_id) < (?::timestamptz, ?::text, ?::text)`, cursor.at, ...cursor.ids] as const),
  }
  if (query.eventId !== undefined) return listBetsOnEvent(deps, limit, { ...query, eventId: query.eventId }, cursor)
  if (query.outcomeId !== undefined) throw invalid('/query/outcomeId', 'needs the eventId of its event')
  const question: Question = { asked, limit, status: query.status, place, platform: query.platform }
  if (query.transactionId !== undefined) {
    const betId = toBetId(query.transactionId)
    return pageOfBets(deps, query, await read(deps, betsWithId(deps, betId, question)))
  }
  const rows = await read(deps, betsIn(question))
  const page = await pageOfBets(deps, query, rows)
  const mayHaveMore = (query.status !== undefined && !isRare(question)) || behind(question) !== null
  if (!mayHaveMore) return page
  return withMore(page, async () => {
    const [last] = await read(deps, lastLookedAt(question))
    return last && cursorOf(last)
  })
}

/** A page of them too can be shorter than wanted, with more to follow. */
async function listBetsOnEvent(deps: OperatorDeps, limit: number, query: EventQuery, after: Cursor | undefined) {
  const { eventId, outcomeId, status, platform, userId: player, transactionId } = query
  if (transactionId !== undefined) throw invalid('/query/eventId', 'is not asked for together with a transactionId')
  if (!SELECTION_ID.test(eventId) || !SELECTION_ID.test(outcomeId ?? eventId)) return { data: [], next: null }
  const wanted = { eventId, outcomeId, status, platform, player, range: toTimeRange(query), after, limit }
  const rows = await findBetsOnEvent(deps, wanted)
  const { data, next } = await pageOfBets(deps, query, rows)
  const page = { data: data.filter((_, i) => rows[i] !== undefined && isMeant(rows[i], wanted)), next }
  return withMore(page, async () => {
    const last = await lastTimeOf(deps, wanted)
    return last && [last.toISOString(), '', '']
  })
}

type EventQuery = Static<typeof BetQuerySchema> & { readonly eventId: string }

interface Question {
  readonly asked: Readonly<Record<string, Condition | undefined>>
  readonly limit: number
  readonly status: BetRow['status'] | undefined
  readonly platform: string | undefined
  /** Of the one player whose bets are wanted. */
  readonly place: { readonly bucket: number; readonly id: PlayerId } | undefined
}

function read(deps: OperatorDeps, { statement, values }: Composed): Promise<BetRow[]> {
  return deps.db.people.query<BetRow>(statement, values)
}

async function pageOfBets(deps: OperatorDeps, query: Static<typeof BetQuerySchema>, rows: readonly BetRow[]) {
  const limit = limitOf(query)
  const [askedOf, refusedOf] = [await askedStakesOf(deps, rows), await refusedResultsOf(deps, rows)]
  const described = await readDescribed(deps, query.selections === 'true' ? rows.slice(0, limit) : [])
  const showRow = (row: BetRow) => {
    const [askedStake, refusedResult, known] = [askedOf(row), refusedOf(row), described(row)]
    return {
      ...showBet(deps, toRecord(row)),
      ...(askedStake && { askedStake }),
      ...(refusedResult && { refusedResult }),
      ...(known && showOn(known)),
    }
  }
  return toPage(rows, limit, showRow, cursorOf)
}

function cursorOf({ first_seen_at, player, bet_id }: BetRow): string[] {
  return [first_seen_at.toISOString(), player, bet_id]
}

const NEWEST_FIRST = 'order by first_seen_at desc, player desc, bet_id desc'

/** The index of a list is the one whose condition its statement states (migration 0009). */
function looked(question: Question): { asked: Question['asked']; where: string } {
  const { asked, status, place, platform } = question
  const whose = place && (['bucket = ?::int and player = ?::text', place.bucket, place.id] as const)
  const state = isRare(question) ? (['rare_status = ?::text', status] as const) : undefined
  return {
    asked: { whose, state, signed: place ? undefined : signedBy(platform), ...asked },
    where: WHERE[listOf(question)],
  }
}

/** Of a platform's own list few states are rare enough for an index more. */
function isRare({ status, place, platform }: Question): boolean {
  return status !== undefined && RARE.includes(status) && (platform === undefined || place !== undefined)
}

const WHERE = {
  all: "first_seen_at < 'infinity'",
  player: "first_seen_at > '-infinity'",
  platform: "platform <> ''",
} as const

function listOf({ place, platform }: Question): keyof typeof WHERE {
  if (place !== undefined) return 'player'
  return platform === undefined ? 'all' : 'platform'
}

/** Of one player's bets the platform is looked at behind, as the state is. */
function behind({ place, platform }: Question): string | null {
  return (place && platform) ?? null
}

function signedBy(platform: string | undefined): Condition | undefined {
  return platform === undefined ? undefined : ['platform = ?::text', platform]
}

function betsIn(question: Question): Composed {
  const { asked, where } = looked(question)
  return compose(
    'operator_list_bets',
    [question.limit + 1, question.status ?? null, behind(question)],
    asked,
    (conditions) =>
      `select * from (
         select ${BET_COLUMNS} from purser.bet where ${where}${conditions} ${NEWEST_FIRST} limit ${MAX_LOOKED_AT}
       ) b where ($2::text is null or status = $2) and ($3::text is null or platform = $3) ${NEWEST_FIRST} limit $1::int`,
  )
}

/** The bet at which a page ends that was not filled. */
function lastLookedAt(question: Question): Composed {
  const { asked, where } = looked(question)
  return compose(
    'operator_last_looked_at',
    [MAX_LOOKED_AT - 1],
    asked,
    (conditions) =>
      `select ${BET_COLUMNS} from purser.bet where ${where}${conditions} ${NEWEST_FIRST} offset $1::int limit 1`,
  )
}

/** A few per player at most (I-1): of each platform one that came with this id (W-43). What else is asked is looked at behind. */
function betsWithId(
  { buckets }: OperatorDeps,
  betId: BetId,
  { asked, limit, status, place, platform }: Question,
): Composed {
  const where = place === undefined ? Array.from({ length: buckets }, (_, bucket) => bucket) : [place.bucket]
  const whose = place && (['player = ?::text', place.id] as const)
  const state = status && (['status = ?::text', status] as const)
  return compose(
    'operator_list_bets_with_id',
    [limit + 1, where, betId, `${betId}@`, `${betId}@${LAST}`],
    { whose, state, signed: signedBy(platform), ...asked },
    (conditions) =>
      `select b.* from unnest($2::int[]) as k (bucket)
       cross join lateral (
         select ${BET_COLUMNS} from purser.bet where bucket = k.bucket and bet_id = $3::text
         union all select ${BET_COLUMNS} from purser.bet
           where bucket = k.bucket and bet_id between $4::text and $5::text and ${sentIdSql('bet_id')} = $3::text
       ) b
       where true${conditions} ${NEWEST_FIRST} limit $1::int`,
    (conditions) =>
      `select ${BET_COLUMNS} from purser.bet
       where bucket = any($2::int[])
         and (bet_id = $3::text or (bet_id between $4::text and $5::text and ${sentIdSql('bet_id')} = $3::text))${conditions}
       ${NEWEST_FIRST} limit $1::int`,
  )
}

export function inRange(column: string, { from, to }: TimeRange): Question['asked'] {
  return {
    from: from && [`${column} >= ?::timestamptz`, from],
    to: to && [`${column} < ?::timestamptz`, to],
  }
}
