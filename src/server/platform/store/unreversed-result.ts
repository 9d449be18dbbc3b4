/**
 * Results that a partner keeps, or may keep, though the platform has taken them back (W-46). It answers a Rollback of such a bet with code 8, which
 * ends the Rollback as done (C-4): the payout would stay with the player, and nobody would see it.
 *
 * A partner has a result that it has acknowledged. It may have one that it refused at last, if an earlier attempt has no answer, or one that says
 * neither yes nor no: that attempt may have been applied. Both are over when it acknowledges a later call.
 */

import { replyCode, replyCodes } from '../../../protocol/reply-codes.ts'
import { statement, type Tx } from '../../core/database/db.ts'
import { statusColumn } from './outbox.ts'
import type { PlatformBet } from './platform-bet.ts'

/**
 * These codes of a partner refuse a result for good: it is not understood, it is blocked, or the
 * balance would become negative (C-5).
 */
export const REFUSES_A_RESULT = replyCodes('invalid_request', 'recalculation_blocked', 'recalculation_negative')
/** These codes refuse a cashout for good: its token was never valid, or is out of date (C-5). */
export const REFUSES_A_CASHOUT = replyCodes('invalid_token', 'expired_token')

/** S-2: the call was not even read. */
const NOT_READ = replyCode('bad_signature')
/** Codes of an attempt that was surely not applied. With another one, such as 8 or 100, it may have been (C-5). */
const NOT_APPLIED = [NOT_READ, ...REFUSES_A_CASHOUT, ...REFUSES_A_RESULT].join(', ')

/** In SQL, that a Settle `s` was refused at last and may have been applied. Attempts are counted when they begin: one without a row was sent by a process that died. */
const MAYBE_APPLIED = `s.operation = 'settle' and ${statusColumn('s')} = 'refused'
      and s.attempts > (
        select count(*) from platform.attempt a where a.delivery_id = s.delivery_id and a.outcome = 'refused' and a.code in (${NOT_APPLIED}))
      and not exists (
        select from platform.delivery later where later.bet_id = s.bet_id and later.number > s.number and ${statusColumn('later')} = 'done')`

/** In SQL, of a bet's row. */
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
  /** An Unsettle has asked for it, and was refused. Else it is a cashout, which took itself back (C-8). */
  readonly isAskedFor: boolean
}

/** Of the bets whose calls are all over, those of which the partner may have a result; for each, whether it has refused to give it back. The caller holds them. */
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

/** Of open bets whose calls are all over: results that the partner may have, and has refused to give back. A cashout was not asked back, it took itself back (C-8). */
export async function readUnreversedResults(
  tx: Tx,
  betIds: readonly string[],
): Promise<Map<string, UnreversedResultRow>> {
  if (betIds.length === 0) return new Map()
  const rows = await tx.query<UnreversedResultRow>(READ_UNREVERSED_RESULTS, [betIds])
  return new Map(rows.map((row) => [row.betId, row]))
}
