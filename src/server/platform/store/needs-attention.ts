/**
 * What needs a person (C-9): a settle, unsettle or rollback that is stuck, that was refused and is the last delivery of its bet, or that is
 * tried again after an answer of 400 (C-5), or after six minutes without any (W-48). A refused cashout is none: it took itself back (C-8).
 *
 * Its money is what has not moved: above zero the player is still to be paid, below zero it is still to be taken back from him.
 *
 * Invariant: `owed_since` of a delivery is set if and only if it needs a person. Each statement that changes a delivery's status keeps it so.
 */
import type { Row } from '../../core/database/db.ts'

/** Sets, of a delivery `d`, that it needs a person if this SQL says so: since now, unless it did before. */
export function assignOwed(isOwed: string, now: string, ofBet = OF_BET): string {
  return `owed_since = case when ${isOwed} then coalesce(d.owed_since, ${now}) end,
     owed_amount = case when ${isOwed} then ${ofBet(outstandingAmount)} end,
     owed_currency = case when ${isOwed} then ${ofBet((bet) => `${bet}.currency`)} end`
}

/** Reads in SQL what is said of a bet by its row; where a statement does not hold the bet, as it was when the statement began. */
type BetSubquery = (expression: (bet: string) => string) => string
const OF_BET: BetSubquery = (expression) => `(select ${expression('b')} from platform.bet b where b.bet_id = d.bet_id)`

/**
 * In SQL, of a bet's row: the money that has not moved, which is what the player has by what was decided, without what he has by what the
 * partner has acknowledged. The next decision says it anew for a delivery that is marked (outbox.ts).
 */
export function outstandingAmount(bet: string): string {
  const worth = (status: string, payout: string) =>
    `case ${bet}.${status} when 'settled' then ${bet}.${payout} when 'cancelled' then ${bet}.stake else 0 end`
  const units = `${worth('status', 'payout')} - ${worth('acknowledged_status', 'acknowledged_payout')}`
  return `(select round((${units}) / power(10::numeric, c.scale::numeric), c.scale) from platform.currency c where c.currency = ${bet}.currency)`
}

export const NOT_OWED = 'owed_since = null, owed_amount = null, owed_currency = null'

/** Money of several deliveries in one currency. */
export interface OwedSum extends Row {
  readonly currency: string
  readonly kind: string
  readonly count: bigint
  /**
   * Amount that has not moved, in either direction. `takeBack` is the part that is to be taken back
   * from players.
   */
  readonly amount: string
  readonly takeBack: string
  /** For a gauge, which is a float. */
  readonly approximate: number
}

/** As the index of the sums states it (delivery_owed_sums). */
export const IS_SUMMED = 'owed_amount is not null'

/** The text of a statement that sums what is owed, chosen by `where`, by currency and by `kind`; `of` has an amount and a currency as deliveries do; `more` is said of each sum besides. */
export const sumOwed = (kind: string, where = IS_SUMMED, of = 'platform.delivery', more = '') =>
  `select owed_currency as currency, ${kind} as kind, count(*) as count, sum(abs(owed_amount))::text as amount,
     sum(greatest(-owed_amount, 0 * owed_amount))::text as "takeBack", sum(abs(owed_amount))::float8 as approximate${more}
   from ${of} where ${where} group by 1, 2 order by 1, 2`
