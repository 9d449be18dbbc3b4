/**
 * Results of bets that a partner has, or may have, although the platform has withdrawn them (W-46).
 * The partner would answer a Rollback of such a bet with code 8, which ends the Rollback as done
 * (C-4). The player would keep the payout unnoticed.
 *
 * A partner has a result that it acknowledged. It may have a result that it finally rejected, if an
 * earlier attempt has no answer or an unclear one. A later acknowledged call ends both cases.
 */

import { replyCode, replyCodes } from '@purser/protocol/reply-codes'
import { statement, type Tx } from '../../core/database/db.ts'
import { statusColumn } from './outbox.ts'
import type { PlatformBet } from './platform-bet.ts'

/**
 * Codes that finally reject a result: it is invalid, it is blocked, or the balance would become
 * negative (C-5).
 */
export const REFUSES_A_RESULT = replyCodes('invalid_request', 'recalculation_blocked', 'recalculation_negative')
/** Codes that finally reject a cashout: its token is unknown or expired (C-5). */
export const REFUSES_A_CASHOUT = replyCodes('invalid_token', 'expired_token')

/** The partner has not read the call (S-2). */
const NOT_READ = replyCode('bad_signature')
/**
 * Codes of an attempt that was certainly not applied. With other codes, such as 8 or 100, it may
 * have been (C-5).
 */
const NOT_APPLIED = [NOT_READ, ...REFUSES_A_CASHOUT, ...REFUSES_A_RESULT].join(', ')

/**
 * SQL: a Settle `s` was finally rejected and may have been applied. An attempt counts from its
 * start; an attempt without a row was sent by a process that died.
 */
const MAYBE_APPLIED = `s.operation = 'settle' and ${statusColumn('s')} = 'refused'
      and s.attempts > (
        select count(*) from platform.attempt a where a.delivery_id = s.delivery_id and a.outcome = 'refused' and a.code in (${NOT_APPLIED}))
      and not exists (
        select from platform.delivery later where later.bet_id = s.bet_id and later.number > s.number and ${statusColumn('later')} = 'done')`

/** SQL: the partner may have a result of the bet in this row. */
export const mayHaveResult = (bet: string) => `(${bet}.acknowledged_status = 'settled' or exists (
    select from platform.delivery s where s.bet_id = ${bet}.bet_id and ${MAYBE_APPLIED}))`

const READ_UNREVERSED_BETS = statement(
  'platform_kept_results',
  `select b.bet_id as "betId", d.operation = 'unsettle' as "isAskedFor"
   from platform.bet b join platform.delivery d on d.bet_id = b.bet_id and d.number = b.deliveries
   where b.bet_id = any($1::uuid[]) and ${statusColumn('d')} = 'refused' and ${mayHaveResult('b')}`,
)

interface UnreversedBetRow extends Record<string, unknown> {
  readonly betId: string
  /**
   * True if an Unsettle was rejected. Otherwise a cashout was rejected, which was reversed (C-8).
   */
  readonly isAskedFor: boolean
}

/**
 * Bets without pending calls whose partner may have a result. The value is true if the partner has
 * rejected the Unsettle. The caller holds the bets.
 */
export async function readUnreversedBets(tx: Tx, betIds: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await tx.query<UnreversedBetRow>(READ_UNREVERSED_BETS, [betIds])
  return new Map(rows.map(({ betId, isAskedFor }) => [betId, isAskedFor]))
}

const READ_UNREVERSED_RESULTS = statement(
  'platform_refused_to_give_back',
  `select distinct on (s.bet_id) s.bet_id as "betId", s.payout, s.result_type as "resultType" from platform.delivery s
   where s.bet_id = any($1::uuid[]) and s.result_type <> 'cashout' and ${MAYBE_APPLIED} order by s.bet_id, s.number desc`,
)

interface UnreversedResultRow extends Record<string, unknown>, NonNullable<PlatformBet['acknowledgedResult']> {
  readonly betId: string
}

/**
 * Results that the partner may still have after a rejected Unsettle, of open bets without pending
 * calls. Cashouts are excluded, because they were reversed without an Unsettle (C-8).
 */
export async function readUnreversedResults(
  tx: Tx,
  betIds: readonly string[],
): Promise<Map<string, UnreversedResultRow>> {
  if (betIds.length === 0) return new Map()
  const rows = await tx.query<UnreversedResultRow>(READ_UNREVERSED_RESULTS, [betIds])
  return new Map(rows.map((row) => [row.betId, row]))
}
