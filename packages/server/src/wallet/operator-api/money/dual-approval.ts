/** Decides whether an adjustment needs the approval of a second person (W-27). */

import { isAboveLimit, type Money, requireScale, type Scales } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { statement, type Tx } from '../../../core/database/db.ts'

/**
 * Limit per currency, as a decimal; OTHER_CURRENCIES applies to currencies that are not
 * named. Empty: no adjustment needs approval.
 */
export type ApproveAbove = ReadonlyMap<string, string>
export const OTHER_CURRENCIES = '*'

/** A currency without any limit always needs approval. */
export function needsApproval(approveAbove: ApproveAbove, scales: Scales, currency: string, change: Money): boolean {
  if (approveAbove.size === 0) return false
  const limit = approveAbove.get(currency) ?? approveAbove.get(OTHER_CURRENCIES) ?? '0'
  return isAboveLimit(change < 0n ? -change : change, requireScale(scales, currency), limit)
}

const ADD = statement(
  'add_adjusted_sum',
  `insert into purser.adjusted_sum as s (key_name, day, currency, amount)
   values ($1::text, ($2::timestamptz at time zone 'UTC')::date, $3::text, $4::bigint)
   on conflict (key_name, day, currency) do update set amount = s.amount + excluded.amount returning amount`,
)
const SUBTRACT = statement(
  'take_back_adjusted_sum',
  `update purser.adjusted_sum set amount = amount - $4::bigint
   where key_name = $1::text and day = ($2::timestamptz at time zone 'UTC')::date and currency = $3::text`,
)

/**
 * Adds an adjustment to the key's sum of the day. True: it would exceed the limit, was not added,
 * and needs a second person.
 *
 * The row of the sum stays locked until the commit, so concurrent adjustments cannot exceed the
 * limit together.
 */
export async function needsApprovalToday(
  tx: Tx,
  { approveAbove, scales }: { readonly approveAbove: ApproveAbove; readonly scales: Scales },
  { keyName, currency, change, at }: { keyName: string; currency: Currency; change: Money; at: Date },
): Promise<boolean> {
  if (approveAbove.size === 0) return false
  if (needsApproval(approveAbove, scales, currency, change)) return true
  const values = [keyName, at, currency, change < 0n ? -change : change]
  const [sum] = await tx.query<{ amount: Money }>(ADD, values)
  if (sum === undefined) throw new Error('the database did not return the sum of the day')
  if (!needsApproval(approveAbove, scales, currency, sum.amount)) return false
  await tx.execute(SUBTRACT, values)
  return true
}

export interface ApprovalActor {
  readonly keyName: string
  readonly person: string
}

/** Without a named person the key's name is the person (O-4). */
export function toApprovalActor({ keyName, person }: Actor): ApprovalActor {
  return { keyName, person: person ?? keyName }
}

/**
 * Two actors are the same person if they share the key or the person's name. Names are compared
 * without case, and also with names of keys.
 */
export function isSamePerson(a: ApprovalActor, b: ApprovalActor): boolean {
  const names = [b.keyName, b.person].map(normalizeName)
  return [a.keyName, a.person].map(normalizeName).some((name) => names.includes(name))
}

function normalizeName(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
