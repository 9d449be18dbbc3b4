/** The record of the calls about bets (`bet_call`): what each came to, and the acknowledged ones for their late repeats. */
import { statement, type Tx } from '../../db/db.ts'
import type { ResultType } from '../../protocol/bet-request.ts'
import type { ReplyCode } from '../../protocol/codes.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../protocol/ids.ts'
import type { Money } from '../../protocol/money.ts'
import type { Anomaly } from '../decide/decision.ts'
import { type Became, contentOf, FINAL_REFUSALS, type FinalRefusal, type SeenCall } from '../decide/seen.ts'
import type { BetCall } from './bet.ts'

type BetKey = Pick<BetCall, 'player' | 'betId'>

/** What a call came to, for the record (`bet_call`). */
export interface CallRecord {
  readonly call: BetCall
  readonly seq: number
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly refusal?: ReplyCode
  readonly anomaly?: Anomaly
  readonly transfers: readonly bigint[]
  readonly effectAt?: Date
}

const INSERT_CALLS = statement(
  'insert_calls',
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type, reason,
     outcome, refusal, anomaly, transfers, effect_at, at)
   select $1::int, player, bet_id, seq, operation, request_id, amount, currency, result_type, reason,
     outcome, refusal, anomaly, transfers::bigint[], effect_at, $16::timestamptz
   from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::int[],
     $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[])
     as r (player, bet_id, seq, operation, request_id, amount, currency, result_type, reason, outcome, refusal, anomaly, transfers, effect_at)`,
)

export function insertCalls(tx: Tx, bucket: number, records: readonly CallRecord[], now: Date): Promise<number> {
  const calls = records.map((record) => record.call)
  const contents = calls.map(contentOf)
  return tx.execute(INSERT_CALLS, [
    bucket,
    calls.map((call) => call.player),
    calls.map((call) => call.betId),
    records.map((record) => record.seq),
    calls.map((call) => call.kind),
    calls.map((call) => call.requestId),
    contents.map((content) => content.amount),
    contents.map((content) => content.currency),
    contents.map((content) => content.resultType),
    calls.map((call) => (call.kind === 'rollback' ? call.reason : null)),
    records.map((record) => record.outcome),
    records.map((record) => record.refusal ?? null),
    records.map((record) => record.anomaly ?? null),
    records.map((record) => `{${record.transfers.join(',')}}`),
    records.map((record) => record.effectAt?.toISOString() ?? null),
    now.toISOString(),
  ])
}

interface SeenRow extends Record<string, unknown> {
  player: PlayerId
  bet_id: BetId
  operation: BetCall['kind']
  request_id: RequestId
  amount: Money | null
  currency: Currency | null
  result_type: ResultType | null
  became: Became['kind']
  effect_at: Date | null
  refusal: FinalRefusal | null
  seq: number
}

const SAME_REQUEST = 'bucket = $1::int and player = k.player and bet_id = k.bet_id and request_id = k.request_id'
const SAME_CONTENT = `operation = k.operation and amount is not distinct from k.amount
         and currency is not distinct from k.currency and result_type is not distinct from k.result_type`
const IS_FINAL = `refusal in (${FINAL_REFUSALS.map((code) => `'${code}'`).join(', ')})`

/** Each part finds what it is for through an index, however many calls there were: bet_call_acknowledged, bet_call_refused. */
const READ_SEEN_CALLS = statement(
  'read_seen_calls',
  `select k.*, c.*
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
     as k (player, bet_id, operation, request_id, amount, currency, result_type)
   cross join lateral (
     (select 'acknowledged' as became, effect_at, null::text as refusal, seq from purser.bet_call
       where ${SAME_REQUEST} and operation in ('settle', 'unsettle') and outcome <> 'refused' and ${SAME_CONTENT} limit 1)
     union all
     (select 'refused', null, refusal, seq from purser.bet_call
       where ${SAME_REQUEST} and ${IS_FINAL} and ${SAME_CONTENT} order by seq limit 1)
     union all
     (select 'place_bet', null, null, seq from purser.bet_call
       where ${SAME_REQUEST} and operation = 'place' and k.operation = 'unsettle' limit 1)
   ) c`,
)

/** What these settles and unsettles may be copies of (I-2, S-5): see `Facts.seen`. */
export async function readSeenCalls(tx: Tx, bucket: number, calls: readonly BetCall[]): Promise<(BetKey & SeenCall)[]> {
  if (calls.length === 0) return []
  const contents = calls.map(contentOf)
  const rows = await tx.query<SeenRow>(READ_SEEN_CALLS, [
    bucket,
    calls.map((call) => call.player),
    calls.map((call) => call.betId),
    contents.map((content) => content.kind),
    contents.map((content) => content.requestId),
    contents.map((content) => content.amount),
    contents.map((content) => content.currency),
    contents.map((content) => content.resultType),
  ])
  return rows.map((row) => ({
    player: row.player,
    betId: row.bet_id,
    kind: row.operation,
    requestId: row.request_id,
    amount: row.amount,
    currency: row.currency,
    resultType: row.result_type,
    became: toBecame(row),
  }))
}

function toBecame({ became: kind, effect_at: at, refusal: code, seq }: SeenRow): Became {
  if (kind === 'acknowledged' && at !== null) return { kind, at }
  if (kind === 'refused' && code !== null) return { kind, code, seq }
  if (kind === 'place_bet') return { kind }
  throw new Error(`the row of a call contradicts itself: ${kind}`)
}
