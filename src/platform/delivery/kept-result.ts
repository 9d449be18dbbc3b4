/**
 * Results that a partner keeps, or may keep, though the platform has taken them back (W-46). It answers a Rollback of such a bet with code 8, which
 * ends the Rollback as done (C-4): the payout would stay with the player, and nobody would see it.
 *
 * A partner has a result that it has acknowledged. It may have one that it refused at last, if an earlier attempt has no answer that was
 * understood: that one may have been applied. Both are over when it acknowledges a later call.
 */
import { statement, type Tx } from '../../db/db.ts'
import { status } from './outbox.ts'

/** In SQL, of a bet's row. Attempts are counted when they begin: one without a row was sent by a process that died. */
export const mayHaveResult = (bet: string) => `(${bet}.told_status = 'settled' or exists (
    select from platform.delivery s where s.bet_id = ${bet}.bet_id and s.operation = 'settle' and ${status('s')} = 'refused'
      and s.attempts > (select count(*) from platform.attempt a where a.delivery_id = s.delivery_id and a.outcome = 'refused')
      and not exists (
        select from platform.delivery later where later.bet_id = s.bet_id and later.number > s.number and ${status('later')} = 'done')))`

const KEPT = statement(
  'platform_kept_results',
  `select b.bet_id as "betId", d.operation = 'unsettle' as "isAskedFor"
   from platform.bet b join platform.delivery d on d.bet_id = b.bet_id and d.number = b.deliveries
   where b.bet_id = any($1::uuid[]) and ${status('d')} = 'refused' and ${mayHaveResult('b')}`,
)

interface Kept extends Record<string, unknown> {
  readonly betId: string
  /** An Unsettle has asked for it, and was refused. Else it is a cashout, which took itself back (C-8). */
  readonly isAskedFor: boolean
}

/** Of the bets whose calls are all over, those of which the partner may have a result; for each, whether it has refused to give it back. The caller holds them. */
export async function readKeptResults(tx: Tx, betIds: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await tx.query<Kept>(KEPT, [betIds])
  return new Map(rows.map(({ betId, isAskedFor }) => [betId, isAskedFor]))
}
