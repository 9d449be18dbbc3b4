/**
 * What needs a person (C-9): a settle, unsettle or rollback that is stuck, that was refused and is the last delivery of its bet, or that was
 * answered 400 and is tried again (C-5). A refused cashout is none: it took itself back (C-8).
 *
 * Invariant: `owed_since` of a delivery is set if and only if it needs a person. Each statement that changes a delivery's status keeps it so.
 */
import type { Row } from '../../db/db.ts'

/** Sets, of a delivery `d`, that it needs a person if this SQL says so: since now, unless it did before. */
export function owedIf(isOwed: string, now: string): string {
  return `owed_since = case when ${isOwed} then coalesce(d.owed_since, ${now}) end,
     owed_amount = case when ${isOwed} then (${said('amount')})::numeric end,
     owed_currency = case when ${isOwed} then ${said('currency')} end`
}

const said = (member: string) =>
  `(select m.body::json ->> '${member}' from platform.message m where m.delivery_id = d.delivery_id)`

export const NOT_OWED = 'owed_since = null, owed_amount = null, owed_currency = null'

/** Money of several deliveries in one currency. */
export interface OwedSum extends Row {
  readonly currency: string
  readonly kind: string
  readonly count: bigint
  readonly amount: string
  /** For a gauge, which is a float. */
  readonly approximate: number
}

/** As the index of the sums states it (0016). */
export const IS_SUMMED = 'owed_amount is not null'

/** The text of a statement that sums what is owed, chosen by `where`, by currency and by `kind`. */
export const sumOwed = (kind: string, where = IS_SUMMED) =>
  `select owed_currency as currency, ${kind} as kind, count(*) as count, sum(owed_amount)::text as amount, sum(owed_amount)::float8 as approximate
   from platform.delivery where ${where} group by 1, 2 order by 1, 2`
