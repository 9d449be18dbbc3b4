/**
 * Rows of the calls about bets (`bet_call`), for the record and for the detection of late repeats.
 * An accepted Place bet has no row here unless it is an anomaly (a contradiction), because the
 * bet's own row records it.
 */

import type { ResultType } from '@purser/protocol/bet-request'
import type { ReplyCode } from '@purser/protocol/reply-codes'
import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import { statement, type Tx } from '../../core/database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../../core/database/row-mapping.ts'
import { isoOf } from '../ledger/account.ts'
import type { Anomaly } from '../rules/decision.ts'
import {
  type CallContent,
  contentOf,
  type EarlierCall,
  FINAL_REFUSALS,
  type FinalRefusal,
  type RecordedEffect,
} from '../rules/replay-detection.ts'
import type { BetCall } from './bet.ts'

type BetKey = Pick<BetCall, 'player' | 'betId'>

export interface CallRecord {
  readonly call: BetCall
  readonly seq: number
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly refusal?: ReplyCode
  readonly anomaly?: Anomaly
  readonly transfers: readonly bigint[]
  readonly effectAt?: Date
}

interface CallColumns {
  readonly record: CallRecord
  readonly content: CallContent
}

const CALLS = mapRows<CallColumns>(3, {
  player: ['text', ({ record }) => record.call.player],
  bet_id: ['text', ({ record }) => record.call.betId],
  seq: ['int', ({ record }) => record.seq],
  operation: ['text', ({ content }) => content.kind],
  request_id: ['text', ({ content }) => content.requestId],
  amount: ['bigint', ({ content }) => content.amount],
  currency: ['text', ({ content }) => content.currency],
  result_type: ['text', ({ content }) => content.resultType],
  reason: ['int', ({ record: { call } }) => (call.kind === 'rollback' ? call.reason : null)],
  outcome: ['text', ({ record }) => record.outcome],
  refusal: ['text', ({ record }) => record.refusal ?? null],
  anomaly: ['text', ({ record }) => record.anomaly ?? null],
  transfers: ['text', ({ record }) => `{${record.transfers.join(',')}}`],
  effect_at: ['timestamptz', ({ record: { effectAt } }) => effectAt?.toISOString() ?? null],
})
/** A list of lists is sent as a list of texts. */
const callSelectList = (columns: readonly string[]) => {
  const list = columns.map((column, i) => (CALLS.names[i] === 'transfers' ? `${column}::bigint[]` : column))
  return `$1::int, $2::timestamptz, ${list.join(', ')}`
}
const INSERT_CALLS = createInsertStatement(
  'insert_calls',
  CALLS,
  (count) =>
    `insert into purser.bet_call (bucket, at, ${CALLS.columns}) ${formatInsertSource(CALLS, count, callSelectList)}`,
)

export function insertCalls(tx: Tx, bucket: number, records: readonly CallRecord[], now: Date): Promise<number> {
  const rows = records.map((record) => ({ record, content: contentOf(record.call) }))
  return tx.execute(INSERT_CALLS, [bucket, isoOf(now), ...CALLS.values(rows)])
}

interface EarlierCallRow extends Record<string, unknown> {
  player: PlayerId
  bet_id: BetId
  operation: BetCall['kind']
  request_id: RequestId
  amount: Money | null
  currency: Currency | null
  result_type: ResultType | null
  became: RecordedEffect['kind']
  effect_at: Date | null
  refusal: FinalRefusal | null
  seq: number
}

const SAME_REQUEST = 'bucket = $1::int and player = k.player and bet_id = k.bet_id and request_id = k.request_id'
const SAME_CONTENT = `operation = k.operation and amount is not distinct from k.amount
         and currency is not distinct from k.currency and result_type is not distinct from k.result_type`
/** SQL condition for a result that was refused for good. */
export const IS_FINAL_REFUSAL = `refusal in (${FINAL_REFUSALS.map((code) => `'${code}'`).join(', ')})`

const LOOKUP_KEYS = mapRows<{ readonly call: BetCall; readonly content: CallContent }>(2, {
  player: ['text', ({ call }) => call.player],
  bet_id: ['text', ({ call }) => call.betId],
  operation: ['text', ({ content }) => content.kind],
  request_id: ['text', ({ content }) => content.requestId],
  amount: ['bigint', ({ content }) => content.amount],
  currency: ['text', ({ content }) => content.currency],
  result_type: ['text', ({ content }) => content.resultType],
})

/**
 * The first calls of a bet are searched by primary key. So a usual result, the second call, is in
 * no other index. The index bet_call_late, which has the later calls, uses the same number.
 */
const FIRST_CALLS = 16
const ACKNOWLEDGED = `select 'acknowledged' as became, effect_at, null::text as refusal, seq from purser.bet_call
       where ${SAME_REQUEST} and operation in ('settle', 'unsettle') and outcome <> 'refused' and ${SAME_CONTENT}`

/**
 * Each part uses an index (bet_call_late, bet_call_refused), so its cost does not depend on the
 * number of calls.
 */
const READ_EARLIER_CALLS = statement(
  'read_seen_calls',
  `select k.*, c.*
   from ${LOOKUP_KEYS.from} k
   cross join lateral (
     (${ACKNOWLEDGED} and seq <= ${FIRST_CALLS} limit 1)
     union all
     (${ACKNOWLEDGED} and seq > ${FIRST_CALLS} limit 1)
     union all
     (select 'refused', null, refusal, seq from purser.bet_call
       where ${SAME_REQUEST} and ${IS_FINAL_REFUSAL} and ${SAME_CONTENT} order by seq limit 1)
     union all
     (select 'place_bet', null, null, seq from purser.bet_call
       where ${SAME_REQUEST} and operation = 'place' and k.operation = 'unsettle' limit 1)
   ) c`,
)

/** Earlier calls that these Settles and Unsettles may copy (I-2, S-5); see `Facts.seen`. */
export async function readEarlierCalls(
  tx: Tx,
  bucket: number,
  calls: readonly BetCall[],
): Promise<(BetKey & EarlierCall)[]> {
  if (calls.length === 0) return []
  const lookups = calls.map((call) => ({ call, content: contentOf(call) }))
  const rows = await tx.query<EarlierCallRow>(READ_EARLIER_CALLS, [bucket, ...LOOKUP_KEYS.values(lookups)])
  return rows.map((row) => ({
    player: row.player,
    betId: row.bet_id,
    kind: row.operation,
    requestId: row.request_id,
    amount: row.amount,
    currency: row.currency,
    resultType: row.result_type,
    became: parseRecordedEffect(row),
  }))
}

function parseRecordedEffect({ became: kind, effect_at: at, refusal: code, seq }: EarlierCallRow): RecordedEffect {
  if (kind === 'acknowledged' && at !== null) return { kind, at }
  if (kind === 'refused' && code !== null) return { kind, code, seq }
  if (kind === 'place_bet') return { kind }
  throw new Error(`the row of a call contradicts itself: ${kind}`)
}
