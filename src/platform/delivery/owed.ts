/**
 * What needs a person (C-9): a settle, unsettle or rollback that is stuck, that was refused and is the last delivery of its bet, or that was
 * answered 400 and is tried again (C-5). A refused cashout is none: it took itself back (C-8).
 *
 * Its money is what has not moved: above zero the player is still to be paid, below zero it is still to be taken back from him.
 *
 * Invariant: `owed_since` of a delivery is set if and only if it needs a person. Each statement that changes a delivery's status keeps it so.
 */
import type { Row } from '../../db/db.ts'

/** Sets, of a delivery `d`, that it needs a person if this SQL says so: since now, unless it did before. */
export function owedIf(isOwed: string, now: string): string {
  return `owed_since = case when ${isOwed} then coalesce(d.owed_since, ${now}) end,
     owed_amount = case when ${isOwed} then (${UNMOVED}) end,
     owed_currency = case when ${isOwed} then (select b.currency from platform.bet b where b.bet_id = d.bet_id) end`
}

/** In SQL, of a delivery `d`: the money that has not moved, which is what it tells without what the partner has acknowledged before. */
const UNMOVED = `select case d.operation when 'settle' then of.said - of.told when 'unsettle' then -of.told else of.said end
  from (
    select (m.body::json ->> 'amount')::numeric as said,
      case when b.told_status = 'settled' then round(b.told_payout / power(10::numeric, c.scale::numeric), c.scale) else 0 end as told
    from platform.message m cross join platform.bet b join platform.currency c using (currency)
    where m.delivery_id = d.delivery_id and b.bet_id = d.bet_id
  ) of`

export const NOT_OWED = 'owed_since = null, owed_amount = null, owed_currency = null'

/** Money of several deliveries in one currency. */
export interface OwedSum extends Row {
  readonly currency: string
  readonly kind: string
  readonly count: bigint
  /** What has not moved, in either direction; `takeBack`: of it what is to be taken back from players. */
  readonly amount: string
  readonly takeBack: string
  /** For a gauge, which is a float. */
  readonly approximate: number
}

/** As the index of the sums states it (0016). */
export const IS_SUMMED = 'owed_amount is not null'

/** The text of a statement that sums what is owed, chosen by `where`, by currency and by `kind`. */
export const sumOwed = (kind: string, where = IS_SUMMED) =>
  `select owed_currency as currency, ${kind} as kind, count(*) as count, sum(abs(owed_amount))::text as amount,
     sum(greatest(-owed_amount, 0 * owed_amount))::text as "takeBack", sum(abs(owed_amount))::float8 as approximate
   from platform.delivery where ${where} group by 1, 2 order by 1, 2`
