/**
 * List of anomalies, newest first: calls that contradict their bet or themselves. A person should
 * check them.
 */

import { UserIdSchema } from '@purser/protocol/bet-request'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { buildQuery, type QueryCondition } from '../../../core/database/query-builder.ts'
import {
  type Cursor,
  decodeCursor,
  invalidCursorProblem,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  timeRangeQuery,
  toPage,
  toPageSchema,
  toTimeRange,
} from '../../../core/http/api/pagination.ts'
import { BET_COLUMNS, type BetRow } from '../../store/bet-store.ts'
import { formatAmount, type OperatorDeps } from '../operator-context.ts'
import { StoredBetIdSchema } from '../operator-schemas.ts'
import { BetCallSchema, BetSchema, CALL_COLUMNS, type CallRow, renderBetCall } from './bet-detail.ts'
import { buildRangeConditions } from './bet-list.ts'
import { toBetKeyColumns } from './bet-summaries.ts'

const { stake, oddsPayout } = BetSchema.properties

export const AnomalyQuerySchema = Type.Object({ ...timeRangeQuery, ...pageQuery }, noUnknownMembers)
export const AnomalySchema = Type.Object({
  userId: UserIdSchema,
  transactionId: StoredBetIdSchema,
  ...Type.Omit(BetCallSchema, ['transfers']).properties,
  stake: Type.Optional({ ...stake, description: 'The stake of the bet, if it was placed.' }),
  oddsPayout,
})
export const AnomalyListSchema = toPageSchema(AnomalySchema)

export async function listAnomalies(deps: OperatorDeps, query: Static<typeof AnomalyQuerySchema>) {
  const limit = parseLimit(query)
  const cursor = decodeCursor(query.after, 4)
  const filters = { ...buildRangeConditions('at', toTimeRange(query)), after: cursor && buildAfterCall(cursor) }
  const { statement, values } = buildQuery(
    'operator_list_anomalies',
    [limit + 1],
    filters,
    (conditions) =>
      `select ${CALL_COLUMNS} from purser.bet_call where anomaly is not null${conditions}
       order by at desc, player desc, bet_id desc, seq desc limit $1::int`,
  )
  const rows = await deps.db.userQueries.query<CallRow>(statement, values)
  const findTerms = await readBetTerms(deps, rows)
  const render = (row: CallRow) => ({
    ...{ userId: row.player, transactionId: row.bet_id, ...renderBetCall(deps, row) },
    ...findTerms(row),
  })
  return toPage(rows, limit, render, (row) => [row.at.toISOString(), row.player, row.bet_id, String(row.seq)])
}

function buildAfterCall({ at, ids: [player, betId, seq] }: Cursor): QueryCondition {
  return ['(at, player, bet_id, seq) < (?::timestamptz, ?::text, ?::text, ?::int)', at, player, betId, toSeq(seq)]
}

function toSeq(text = ''): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidCursorProblem()
  return Number.parseInt(text, 10)
}

const READ_BETS = statement(
  'operator_read_bets_of_anomalies',
  `select b.* from unnest($1::int[], $2::text[], $3::text[]) as k (bucket, player, bet_id)
   cross join lateral (
     select ${BET_COLUMNS} from purser.bet where bucket = k.bucket and bet_id = k.bet_id and player = k.player limit 1
   ) b`,
  `select ${BET_COLUMNS} from purser.bet
   where bucket = any($1::int[]) and (player, bet_id) in (select * from unnest($2::text[], $3::text[]))`,
)

/** Returns a lookup of the stake and odds payout of each call's bet. */
export async function readBetTerms(deps: OperatorDeps, calls: readonly CallRow[]) {
  const bets =
    calls.length === 0 ? [] : await deps.db.userQueries.query<BetRow>(READ_BETS, toBetKeyColumns(deps, calls))
  const found = new Map(bets.map((row) => [keyOf(row), row]))
  return (call: CallRow) => {
    const { stake = null, odds_payout = null, currency = null } = found.get(keyOf(call)) ?? {}
    return {
      ...(stake !== null && currency !== null && { stake: formatAmount(deps, stake, currency) }),
      ...(odds_payout !== null && currency !== null && { oddsPayout: formatAmount(deps, odds_payout, currency) }),
    }
  }
}

const keyOf = ({ player, bet_id }: Pick<CallRow, 'player' | 'bet_id'>) => JSON.stringify([player, bet_id])
