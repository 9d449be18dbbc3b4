/**
 * Store for the outcomes of attempts. One SQL statement inserts the attempts, and locks the bets
 * that no other transaction holds. It ends or reschedules their deliveries, and writes the
 * acknowledged state of the bets. That state comes from the delivery, which holds the sent result.
 *
 * The statement sees rows that were committed before it began, but reads a locked bet in its
 * current state. So a later delivery of the bet may be invisible, but the bet's number of
 * deliveries includes it. `has_later` is true if a later delivery waits.
 *
 * After a manual retry, the answer to an attempt from before the retry counts only if it is a
 * success. When a bet has its final state, its tokens are deleted (O-6).
 */
import { statement, type Tx } from '../../core/database/db.ts'
import { mapPartColumns, mapRows } from '../../core/database/row-mapping.ts'
import { assignOwed } from './needs-attention.ts'
import {
  ATTEMPT_ROWS,
  type AttemptRecord,
  type AttemptResult,
  type DeliveryStatus,
  REDACT_TOKEN,
  RESULT_ROWS,
  statusColumn,
} from './outbox.ts'
import { mayHaveResult } from './unreversed-result.ts'

export interface AttemptOutcome {
  readonly betId: string
  readonly attempt: AttemptRecord
  readonly result: AttemptResult
}

/**
 * An Unsettle that is rejected before a Rollback becomes stuck if the partner may have a result
 * (W-46). It then holds the Rollback back until it is acknowledged. Nothing is decided after a
 * Rollback, so the Rollback is the next and last delivery.
 */
const STATUS = `case when r.status = 'refused' and d.operation = 'unsettle' and (r.bet).status = 'cancelled' and r.deliveries = d.number + 1
  and ${mayHaveResult('(r.bet)')} then 'stuck' else r.status end`

/**
 * A rejected delivery is no longer owed if a later one was decided, which may be invisible here. A
 * retried delivery keeps its place in the list.
 */
const IS_OWED = `r.is_owed and (${STATUS} <> 'refused' or r.deliveries = d.number) or r.status = 'pending' and d.owed_since is not null`

const CALLS = mapRows<AttemptOutcome>(2, {
  bet_id: ['uuid', ({ betId }) => betId],
  ...mapPartColumns(RESULT_ROWS, ({ result }: AttemptOutcome) => result),
  is_owed: ['bool', ({ result }) => result.isOwed],
  ...mapPartColumns(ATTEMPT_ROWS, ({ attempt }: AttemptOutcome) => attempt),
})

const FINISH = statement(
  'platform_finish',
  `with r as materialized (
     select * from ${CALLS.from} r
   ), kept as (
     insert into platform.attempt (delivery_id, number, started_at, duration_ms, http_status, outcome, code, error, body, phases)
     select delivery_id, attempt, started_at, duration_ms, http_status, outcome, code, case outcome when 'unknown' then error end, body, phases
     from r on conflict (delivery_id, number) do nothing
   ), held as materialized (
     select r.*, b.deliveries, b.bet from r
     cross join lateral (select deliveries, bet from platform.bet where bet_id = r.bet_id for update skip locked) b
   ), ended as (
     update platform.delivery d
     set status = ${STATUS}, is_claimed = false, code = r.code, error = r.error, due_at = coalesce(r.due_at, d.due_at),
       first_attempt_at = r.first_attempt_at, finished_at = case when r.status = 'pending' then null else $1::timestamptz end,
       ${assignOwed(IS_OWED, '$1::timestamptz', (expression) => expression('(r.bet)'))}
     from held r
     where d.delivery_id = r.delivery_id and d.attempts = r.attempt and ${statusColumn('d')} = 'pending'
       and (r.status = 'done' or d.attempts > d.attempts_before)
     returning d.delivery_id, d.bet_id, d.number, d.status, r.deliveries > d.number as has_later, d.operation, d.payout, d.result_type
   ), acknowledged as (
     update platform.bet b set acknowledged_status = case e.operation when 'settle' then 'settled' when 'unsettle' then 'open' else 'cancelled' end,
       acknowledged_payout = e.payout, acknowledged_result_type = e.result_type,
       token = case when b.status in ('settled', 'cancelled') and not e.has_later then '' else b.token end
     from ended e where b.bet_id = e.bet_id and e.status = 'done'
   ), forgotten as (
     update platform.message m set body = ${REDACT_TOKEN('m.body')}
     from ended e where m.delivery_id = e.delivery_id
       and (e.operation = 'rollback' and e.status = 'done' or e.result_type = 'cashout' and e.status in ('done', 'refused'))
   )
   select delivery_id, bet_id, null::int as number, null as status, false as has_later from held
   union all
   select delivery_id, bet_id, number, status, has_later from ended`,
)

interface Row extends Record<string, unknown> {
  delivery_id: bigint
  bet_id: string
  number: number | null
  status: DeliveryStatus | null
  has_later: boolean
}

export interface FinishedRow extends Row {
  number: number
  status: DeliveryStatus
}

export interface FinishedRows {
  /** Bets that no other transaction held. For all other bets only the attempts are written. */
  readonly locked: ReadonlySet<string>
  /** Without deliveries whose claim another process has taken over. */
  readonly written: readonly FinishedRow[]
}

export async function finishCalls(tx: Tx, calls: readonly AttemptOutcome[], now: Date): Promise<FinishedRows> {
  const rows = await tx.query<Row>(FINISH, [now.toISOString(), ...CALLS.values(calls)])
  return { locked: new Set(rows.map((row) => row.bet_id)), written: rows.filter(isWritten) }
}

const isWritten = (row: Row): row is FinishedRow => row.status !== null
