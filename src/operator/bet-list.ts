/** Bets of all players or of one, and the calls that need a person: newest first, page by page. */
import { type Static, Type } from 'typebox'
import { type Composed, type Condition, compose } from '../db/conditions.ts'
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
} from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import { BetIdSchema, UserIdSchema } from '../protocol/bet-request.ts'
import type { PlayerId } from '../protocol/ids.ts'
import { BET_COLUMNS, type BetRow, toRecord } from '../wallet/bet-store.ts'
import { BetSchema, BetStatusSchema, CALL_COLUMNS, type CallRow, CallSchema, showBet, showCall } from './bets.ts'
import { locate, type OperatorDeps } from './operator.ts'

const optional = Type.Optional

export const BetListSchema = pageOf(BetSchema)
export const BetQuerySchema = Type.Object(
  {
    status: optional(BetStatusSchema),
    userId: optional(UserIdSchema),
    ...timeRangeQuery,
    ...pageQuery,
  },
  onlyKnown,
)
export const AnomalyQuerySchema = Type.Object({ ...timeRangeQuery, ...pageQuery }, onlyKnown)
export const AnomalySchema = Type.Object({
  userId: UserIdSchema,
  transactionId: BetIdSchema,
  ...Type.Omit(CallSchema, ['transfers']).properties,
})
export const AnomalyListSchema = pageOf(AnomalySchema)

/** Bets by the time they were first named, newest first. */
export async function listBets(deps: OperatorDeps, query: Static<typeof BetQuerySchema>) {
  const limit = limitOf(query)
  const place = query.userId === undefined ? undefined : locate(deps, query.userId, '/query/userId')
  const cursor = decodeCursor(query.after, 3)
  const asked = {
    status: query.status === undefined ? undefined : (['status = ?::text', query.status] as const),
    ...inRange('first_seen_at', toTimeRange(query)),
    after:
      cursor &&
      ([`(first_seen_at, player, bet_id) < (?::timestamptz, ?::text, ?::text)`, cursor.at, ...cursor.ids] as const),
  }
  const { statement, values } = place === undefined ? allBets(asked, limit + 1) : betsOf(place, asked, limit + 1)
  const rows = await deps.db.query<BetRow>(statement, values)
  return toPage(
    rows.map(toRecord),
    limit,
    (bet) => showBet(deps, bet),
    (bet) => [bet.firstSeenAt.toISOString(), bet.player, bet.betId],
  )
}

type Asked = Readonly<Record<string, Condition | undefined>>

const NEWEST_FIRST = 'order by first_seen_at desc, player desc, bet_id desc limit $1::int'

/** Through the index on the time. */
function allBets(asked: Asked, limit: number): Composed {
  return compose(
    'operator_list_bets',
    [limit],
    asked,
    (conditions) => `select ${BET_COLUMNS} from purser.bet where true${conditions} ${NEWEST_FIRST}`,
  )
}

/** Materialized, so that the bets of others do not matter: the primary key finds the player's, the rest is judged on them. */
function betsOf({ bucket, id }: { bucket: number; id: PlayerId }, asked: Asked, limit: number): Composed {
  return compose(
    'operator_list_bets_of_player',
    [limit, bucket, id],
    asked,
    (conditions) =>
      `with own as materialized (select ${BET_COLUMNS} from purser.bet where bucket = $2::int and player = $3::text)
       select ${BET_COLUMNS} from own where true${conditions} ${NEWEST_FIRST}`,
  )
}

/** Calls that contradict a bet's life, newest first: they were refused or followed to the letter, and a person should look. */
export async function listAnomalies(deps: OperatorDeps, query: Static<typeof AnomalyQuerySchema>) {
  const limit = limitOf(query)
  const cursor = decodeCursor(query.after, 4)
  const asked = { ...inRange('at', toTimeRange(query)), after: cursor && afterCall(cursor) }
  const { statement, values } = compose(
    'operator_list_anomalies',
    [limit + 1],
    asked,
    (conditions) =>
      `select ${CALL_COLUMNS} from purser.bet_call where anomaly is not null${conditions}
       order by at desc, player desc, bet_id desc, seq desc limit $1::int`,
  )
  const rows = await deps.db.query<CallRow>(statement, values)
  const render = (row: CallRow) => ({ userId: row.player, transactionId: row.bet_id, ...showCall(deps, row) })
  return toPage(rows, limit, render, (row) => [row.at.toISOString(), row.player, row.bet_id, String(row.seq)])
}

function afterCall({ at, ids: [player, betId, seq] }: Cursor): Condition {
  return ['(at, player, bet_id, seq) < (?::timestamptz, ?::text, ?::text, ?::int)', at, player, betId, toSeq(seq)]
}

function toSeq(text = ''): number {
  if (!/^\d{1,9}$/.test(text)) throw invalid('/query/after', 'is not a cursor of this list')
  return Number.parseInt(text, 10)
}

function inRange(column: string, { from, to }: TimeRange): Asked {
  return {
    from: from && [`${column} >= ?::timestamptz`, from],
    to: to && [`${column} < ?::timestamptz`, to],
  }
}
