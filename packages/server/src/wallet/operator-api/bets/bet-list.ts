/** List of bets, of one player or of every player, newest first. */

import { UserIdSchema } from '@purser/protocol/bet-request'
import { sentBetIdSql } from '@purser/protocol/qualified-bet-id'
import { type BetId, type PlayerId, SELECTION_ID } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { type BuiltQuery, buildQuery, type QueryCondition } from '../../../core/database/query-builder.ts'
import {
  type Cursor,
  continueFromScan,
  decodeCursor,
  decodeCursorParts,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  type TimeRange,
  timeRangeQuery,
  toPage,
  toPageSchema,
  toTimeRange,
} from '../../../core/http/api/pagination.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'
import { MAX_SCANNED_ROWS, SCAN_LIMIT_NOTE } from '../../../core/http/api/scan-limit.ts'
import { selectionsQuery } from '../../../core/http/bet-selections.ts'
import { BET_COLUMNS, type BetRow, toRecord } from '../../store/bet-store.ts'
import { PREFIX_END } from '../lookup/id-search.ts'
import { locatePlayer, type OperatorDeps } from '../operator-context.ts'
import { PlatformSchema, StoredBetIdSchema, WalletBetStatusSchema } from '../operator-schemas.ts'
import { BetSchema, renderWalletBet, toBetId } from './bet-detail.ts'
import { readBetSummaries, renderBetSelections, selectionProperties } from './bet-summaries.ts'
import { findBetsOnEvent, isOnEvent, readLastScannedTime } from './event-bets.ts'
import { RequestedStakeSchema, readRequestedStakes } from './refused-bet-stakes.ts'
import { RefusedResultSchema, readRefusedResults } from './refused-results.ts'

const optional = Type.Optional

const SELECTION = { minLength: 1, maxLength: 64 }
export const BetListSchema = toPageSchema(
  Type.Object({
    ...BetSchema.properties,
    requestedStake: optional(RequestedStakeSchema),
    refusedResult: optional(RefusedResultSchema),
    ...selectionProperties,
  }),
)
export const BetQuerySchema = Type.Object(
  {
    status: optional({
      ...WalletBetStatusSchema,
      description: `For open and settled bets, ${SCAN_LIMIT_NOTE}`,
    }),
    userId: optional(UserIdSchema),
    transactionId: optional({
      ...StoredBetIdSchema,
      description: 'The list includes bets of other platforms with this id, which are shown as `ID@NAME` (W-43).',
    }),
    platform: optional(PlatformSchema),
    eventId: optional(
      Type.String({
        ...SELECTION,
        description: 'Only bets with a selection of this event (W-44); not with `transactionId`.',
      }),
    ),
    outcomeId: optional(
      Type.String({ ...SELECTION, description: 'Only bets on this outcome of the event. It needs `eventId`.' }),
    ),
    order: optional({
      ...Type.Enum(['id']),
      description:
        'Lists all bets in the order of `transactionId`, byte by byte, and then of `userId`. A bet keeps its position while it changes. Only `limit`, `after` and `selections` can be combined with it.',
    }),
    selections: selectionsQuery('each bet contains the selections of its Place bet.'),
    ...timeRangeQuery,
    ...pageQuery,
  },
  noUnknownMembers,
)
/** Rare states, whose bets have an index of their own (bet_rare). */
const RARE = ['unknown', 'cancelled', 'refused']

/**
 * Lists bets by the time of their first call, newest first. For open or settled bets a page scans a
 * limited number of bets. So it can be short or empty although another page follows.
 */
export async function listBets(deps: OperatorDeps, query: Static<typeof BetQuerySchema>) {
  if (query.order === 'id') return listBetsById(deps, query)
  const limit = parseLimit(query)
  const place = query.userId === undefined ? undefined : locatePlayer(deps, query.userId, '/query/userId')
  const cursor = decodeCursor(query.after, 3)
  const filters = {
    ...buildRangeConditions('first_seen_at', toTimeRange(query)),
    after:
      cursor &&
      ([`(first_seen_at, player, bet_id) < (?::timestamptz, ?::text, ?::text)`, cursor.at, ...cursor.ids] as const),
  }
  if (query.eventId !== undefined) return listBetsOnEvent(deps, limit, { ...query, eventId: query.eventId }, cursor)
  if (query.outcomeId !== undefined) throw invalid('/query/outcomeId', 'needs the eventId of its event: add eventId')
  const listQuery: BetListQuery = { filters, limit, status: query.status, place, platform: query.platform }
  if (query.transactionId !== undefined) {
    const betId = toBetId(query.transactionId)
    return toBetPage(deps, query, await queryBets(deps, buildBetsWithId(deps, betId, listQuery)))
  }
  const rows = await queryBets(deps, buildBetList(listQuery))
  const page = await toBetPage(deps, query, rows)
  const mayHaveMore = (query.status !== undefined && !isRare(listQuery)) || scannedPlatform(listQuery) !== null
  if (!mayHaveMore) return page
  return continueFromScan(page, async () => {
    const [last] = await queryBets(deps, buildLastScanned(listQuery))
    return last && cursorOf(last)
  })
}

async function listBetsById(deps: OperatorDeps, query: Static<typeof BetQuerySchema>) {
  const { order: _, limit, after, selections, ...filters } = query
  const [filter] = Object.keys(filters)
  if (filter !== undefined) throw invalid(`/query/${filter}`, 'cannot be combined with order=id: remove one of both')
  const [betId = '', player = ''] = decodeCursorParts(after, 2) ?? []
  const rows = await queryBets(deps, buildBetsById(deps, parseLimit(query), betId, player))
  return toBetPage(deps, query, rows, ({ bet_id, player }) => [bet_id, player])
}

/** A page can be short while more follow, as in `listBets`. */
async function listBetsOnEvent(deps: OperatorDeps, limit: number, query: EventQuery, after: Cursor | undefined) {
  const { eventId, outcomeId, status, platform, userId: player, transactionId } = query
  if (transactionId !== undefined)
    throw invalid('/query/eventId', 'cannot be combined with transactionId: remove one of both')
  if (!SELECTION_ID.test(eventId) || !SELECTION_ID.test(outcomeId ?? eventId)) return { data: [], next: null }
  const eventQuery = { eventId, outcomeId, status, platform, player, range: toTimeRange(query), after, limit }
  const rows = await findBetsOnEvent(deps, eventQuery)
  const { data, next } = await toBetPage(deps, query, rows)
  const page = { data: data.filter((_, i) => rows[i] !== undefined && isOnEvent(rows[i], eventQuery)), next }
  return continueFromScan(page, async () => {
    const last = await readLastScannedTime(deps, eventQuery)
    return last && [last.toISOString(), '', '']
  })
}

type EventQuery = Static<typeof BetQuerySchema> & { readonly eventId: string }

interface BetListQuery {
  readonly filters: Readonly<Record<string, QueryCondition | undefined>>
  readonly limit: number
  readonly status: BetRow['status'] | undefined
  readonly platform: string | undefined
  readonly place: { readonly bucket: number; readonly id: PlayerId } | undefined
}

function queryBets(deps: OperatorDeps, { statement, values }: BuiltQuery): Promise<BetRow[]> {
  return deps.db.userQueries.query<BetRow>(statement, values)
}

async function toBetPage(
  deps: OperatorDeps,
  query: Static<typeof BetQuerySchema>,
  rows: readonly BetRow[],
  toCursor = cursorOf,
) {
  const limit = parseLimit(query)
  const [findRequestedStake, findRefusedResult] = [
    await readRequestedStakes(deps, rows),
    await readRefusedResults(deps, rows),
  ]
  const findSummary = await readBetSummaries(deps, query.selections === 'true' ? rows.slice(0, limit) : [])
  const showRow = (row: BetRow) => {
    const [requestedStake, refusedResult, summary] = [findRequestedStake(row), findRefusedResult(row), findSummary(row)]
    return {
      ...renderWalletBet(deps, toRecord(row)),
      ...(requestedStake && { requestedStake }),
      ...(refusedResult && { refusedResult }),
      ...(summary && renderBetSelections(summary)),
    }
  }
  return toPage(rows, limit, showRow, toCursor)
}

function cursorOf({ first_seen_at, player, bet_id }: BetRow): string[] {
  return [first_seen_at.toISOString(), player, bet_id]
}

const NEWEST_FIRST = 'order by first_seen_at desc, player desc, bet_id desc'

/**
 * Each list uses the index whose condition is in its statement (packages/server/migrations/0001).
 */
function buildScan(listQuery: BetListQuery): { filters: BetListQuery['filters']; where: string } {
  const { filters, status, place, platform } = listQuery
  const owner = place && (['bucket = ?::int and player = ?::text', place.bucket, place.id] as const)
  const state = isRare(listQuery) ? (['rare_status = ?::text', status] as const) : undefined
  return {
    filters: { whose: owner, state, signed: place ? undefined : platformCondition(platform), ...filters },
    where: WHERE[chooseList(listQuery)],
  }
}

/** In the list of a platform no state is rare enough for an index. */
function isRare({ status, place, platform }: BetListQuery): boolean {
  return status !== undefined && RARE.includes(status) && (platform === undefined || place !== undefined)
}

const WHERE = {
  all: "first_seen_at < 'infinity'",
  player: "first_seen_at > '-infinity'",
  platform: "platform <> ''",
} as const

function chooseList({ place, platform }: BetListQuery): keyof typeof WHERE {
  if (place !== undefined) return 'player'
  return platform === undefined ? 'all' : 'platform'
}

/** In the list of a player the platform is filtered after the scan, like the state. */
function scannedPlatform({ place, platform }: BetListQuery): string | null {
  return (place && platform) ?? null
}

function platformCondition(platform: string | undefined): QueryCondition | undefined {
  return platform === undefined ? undefined : ['platform = ?::text', platform]
}

function buildBetList(listQuery: BetListQuery): BuiltQuery {
  const { filters, where } = buildScan(listQuery)
  return buildQuery(
    'operator_list_bets',
    [listQuery.limit + 1, listQuery.status ?? null, scannedPlatform(listQuery)],
    filters,
    (conditions) =>
      `select * from (
         select ${BET_COLUMNS} from purser.bet where ${where}${conditions} ${NEWEST_FIRST} limit ${MAX_SCANNED_ROWS}
       ) b where ($2::text is null or status = $2) and ($3::text is null or platform = $3) ${NEWEST_FIRST} limit $1::int`,
  )
}

/** Last scanned bet, at which an unfilled page ends. */
function buildLastScanned(listQuery: BetListQuery): BuiltQuery {
  const { filters, where } = buildScan(listQuery)
  return buildQuery(
    'operator_last_looked_at',
    [MAX_SCANNED_ROWS - 1],
    filters,
    (conditions) =>
      `select ${BET_COLUMNS} from purser.bet where ${where}${conditions} ${NEWEST_FIRST} offset $1::int limit 1`,
  )
}

/** Merges the buckets, each of which is read by primary key. */
function buildBetsById({ buckets }: OperatorDeps, limit: number, betId: string, player: string): BuiltQuery {
  const inOrder = 'order by bet_id, player limit $1::int'
  const ofBucket = (bucket: number) =>
    `(select ${BET_COLUMNS} from purser.bet
      where bucket = ${bucket} and (bet_id, player) > ($2::text, $3::text) ${inOrder})`
  const all = Array.from({ length: buckets }, (_, bucket) => ofBucket(bucket)).join(' union all ')
  return buildQuery(
    'operator_list_bets_by_id',
    [limit + 1, betId, player],
    {},
    () => `select * from (${all}) b ${inOrder}`,
  )
}

/**
 * A player has at most one bet per platform with this id (I-1, W-43). All other conditions are
 * filtered after the lookup.
 */
function buildBetsWithId(
  { buckets }: OperatorDeps,
  betId: BetId,
  { filters, limit, status, place, platform }: BetListQuery,
): BuiltQuery {
  const where = place === undefined ? Array.from({ length: buckets }, (_, bucket) => bucket) : [place.bucket]
  const owner = place && (['player = ?::text', place.id] as const)
  const state = status && (['status = ?::text', status] as const)
  return buildQuery(
    'operator_list_bets_with_id',
    [limit + 1, where, betId, `${betId}@`, `${betId}@${PREFIX_END}`],
    { whose: owner, state, signed: platformCondition(platform), ...filters },
    (conditions) =>
      `select b.* from unnest($2::int[]) as k (bucket)
       cross join lateral (
         select ${BET_COLUMNS} from purser.bet where bucket = k.bucket and bet_id = $3::text
         union all select ${BET_COLUMNS} from purser.bet
           where bucket = k.bucket and bet_id between $4::text and $5::text and ${sentBetIdSql('bet_id')} = $3::text
       ) b
       where true${conditions} ${NEWEST_FIRST} limit $1::int`,
    (conditions) =>
      `select ${BET_COLUMNS} from purser.bet
       where bucket = any($2::int[])
         and (bet_id = $3::text or (bet_id between $4::text and $5::text and ${sentBetIdSql('bet_id')} = $3::text))${conditions}
       ${NEWEST_FIRST} limit $1::int`,
  )
}

export function buildRangeConditions(column: string, { from, to }: TimeRange): BetListQuery['filters'] {
  return {
    from: from && [`${column} >= ?::timestamptz`, from],
    to: to && [`${column} < ?::timestamptz`, to],
  }
}
