/**
 * Refused results of the bets in a list. The last result of such a bet was refused with 20 or 21,
 * and no result has been applied since (L-2, L-3). Platform and wallet disagree about the bet.
 */

import { REPLY_CODES, type ReplyCode } from '@purser/protocol/reply-codes'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { IS_FINAL_REFUSAL } from '../../store/bet-call-store.ts'
import type { BetRow } from '../../store/bet-store.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { toBetKeyColumns } from './bet-summaries.ts'

export const RefusedResultSchema = Type.Object(
  {
    operation: Type.Enum(['settle', 'unsettle']),
    code: Type.Integer(),
    at: Type.String({ format: 'date-time' }),
  },
  {
    description:
      "Present in lists: the newest Settle or Unsettle that was rejected with 20 or 21 since the last applied result. The platform's result differs from the ledger.",
  },
)
export type RefusedResult = Static<typeof RefusedResultSchema>

/** Calls per bet at most, because a platform may repeat a refused result without end. */
const MAX_CALLS = 50
const COLUMNS = 'player, bet_id, seq, operation, request_id, refusal, at'
const READ = statement(
  'operator_read_refused_results',
  `select c.* from unnest($1::int[], $2::text[], $3::text[]) as k (bucket, player, bet_id)
   cross join lateral (
     select ${COLUMNS} from purser.bet_call
     where bucket = k.bucket and player = k.player and bet_id = k.bet_id and ${IS_FINAL_REFUSAL} order by seq desc limit ${MAX_CALLS}
   ) c order by c.seq desc`,
  `select ${COLUMNS} from purser.bet_call
   where bucket = any($1::int[]) and (player, bet_id) in (select * from unnest($2::text[], $3::text[])) and ${IS_FINAL_REFUSAL} order by seq desc`,
)

interface Row extends Record<string, unknown> {
  readonly player: string
  readonly bet_id: string
  readonly seq: number
  readonly operation: 'settle' | 'unsettle'
  readonly request_id: string
  readonly refusal: ReplyCode
  readonly at: Date
}

/** Only bets with calls after their last result are read; they are few. */
export async function readRefusedResults(
  deps: OperatorDeps,
  rows: readonly BetRow[],
): Promise<(row: BetRow) => RefusedResult | undefined> {
  const candidates = rows.filter(
    ({ status, calls, last_result }) => (status === 'open' || status === 'settled') && calls > Math.max(1, last_result),
  )
  if (candidates.length === 0) return () => undefined
  const found = await deps.db.userQueries.query<Row>(READ, toBetKeyColumns(deps, candidates))
  return (bet) =>
    findRefusedResult(
      found.filter(({ player, bet_id }) => player === bet.player && bet_id === bet.bet_id),
      bet.last_result,
    )
}

/**
 * A repeated request from before the last applied result is a late copy and does not count (I-2).
 */
function findRefusedResult(calls: readonly Row[], lastResult: number): RefusedResult | undefined {
  const earlier = calls.filter(({ seq }) => seq < lastResult).map(({ request_id }) => request_id)
  const newest = calls.find(({ seq, request_id }) => seq > lastResult && !earlier.includes(request_id))
  return newest && { operation: newest.operation, code: REPLY_CODES[newest.refusal].code, at: newest.at.toISOString() }
}
