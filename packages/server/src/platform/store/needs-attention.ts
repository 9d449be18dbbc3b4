/**
 * Deliveries that need attention (C-9). A settle, unsettle or rollback needs attention in these
 * cases:
 * - it is stuck;
 * - it was rejected and is the last delivery of its bet;
 * - the partner answered 400, and the delivery is still retried (C-5);
 * - its attempts had no clear answer for six minutes, and it is still retried (W-48).
 *
 * A rejected cashout needs no attention, because it was reversed (C-8). The owed amount is the
 * money that has not moved. If it is above zero, it must be paid to the player; if below zero,
 * taken back.
 *
 * Invariant: `owed_since` is set if and only if the delivery needs attention. Each SQL statement
 * that changes a delivery's status keeps this invariant.
 */
import type { Row } from '../../core/database/db.ts'

/** SQL that marks a delivery `d` if `isOwed` holds. An earlier time of the mark stays. */
export function assignOwed(isOwed: string, now: string, ofBet = OF_BET): string {
  return `owed_since = case when ${isOwed} then coalesce(d.owed_since, ${now}) end,
     owed_amount = case when ${isOwed} then ${ofBet(outstandingAmount)} end,
     owed_currency = case when ${isOwed} then ${ofBet((bet) => `${bet}.currency`)} end`
}

/**
 * SQL that reads a bet's row. In a statement that does not lock the bet, the row is as of the start
 * of the statement.
 */
type BetSubquery = (expression: (bet: string) => string) => string
const OF_BET: BetSubquery = (expression) => `(select ${expression('b')} from platform.bet b where b.bet_id = d.bet_id)`

/**
 * SQL for the money of a bet that has not moved: the decided value less the acknowledged value.
 * Each later decision updates it in marked deliveries (outbox.ts).
 */
export function outstandingAmount(bet: string): string {
  const worth = (status: string, payout: string) =>
    `case ${bet}.${status} when 'settled' then ${bet}.${payout} when 'cancelled' then ${bet}.stake else 0 end`
  const units = `${worth('status', 'payout')} - ${worth('acknowledged_status', 'acknowledged_payout')}`
  return `(select round((${units}) / power(10::numeric, c.scale::numeric), c.scale) from platform.currency c where c.currency = ${bet}.currency)`
}

export const NOT_OWED = 'owed_since = null, owed_amount = null, owed_currency = null'

export interface OwedSum extends Row {
  readonly currency: string
  readonly kind: string
  readonly count: bigint
  /**
   * Amount that has not moved, in both directions. `takeBack` is the part that must be taken back
   * from players.
   */
  readonly amount: string
  readonly takeBack: string
  /** For a gauge, which is a float. */
  readonly approximate: number
}

/** Predicate of the index `delivery_owed_sums`. */
export const IS_SUMMED = 'owed_amount is not null'

/**
 * SQL of the owed sums by currency and `kind`. The relation `of` has the columns of deliveries;
 * `more` adds columns to each sum.
 */
export const sumOwed = (kind: string, where = IS_SUMMED, of = 'platform.delivery', more = '') =>
  `select owed_currency as currency, ${kind} as kind, count(*) as count, sum(abs(owed_amount))::text as amount,
     sum(greatest(-owed_amount, 0 * owed_amount))::text as "takeBack", sum(abs(owed_amount))::float8 as approximate${more}
   from ${of} where ${where} group by 1, 2 order by 1, 2`
