/** The record of the calls about bets (`bet_call`): what each came to, and the acknowledged ones for their late repeats. */
import { statement, type Tx } from '../db/db.ts'
import type { ResultType } from '../protocol/bet-request.ts'
import type { ReplyCode } from '../protocol/codes.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../protocol/ids.ts'
import type { Money } from '../protocol/money.ts'
import type { BetCall } from './bet.ts'
import { type Anomaly, contentOf, type SeenCall } from './decide/decision.ts'

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
  effect_at: Date
}

const READ_SEEN_CALLS = statement(
  'read_seen_calls',
  `select k.*, c.effect_at
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
     as k (player, bet_id, operation, request_id, amount, currency, result_type)
   cross join lateral (
     select effect_at from purser.bet_call
     where bucket = $1::int and player = k.player and bet_id = k.bet_id and request_id = k.request_id
       and operation in ('settle', 'unsettle') and outcome <> 'refused' and operation = k.operation
       and amount is not distinct from k.amount and currency is not distinct from k.currency
       and result_type is not distinct from k.result_type
     limit 1
   ) c`,
)

/** Which of these settles and unsettles were acknowledged before, with the same content, however many others their bets have had (I-2). */
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
    at: row.effect_at,
  }))
}
