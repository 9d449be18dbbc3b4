/**
 * Manual acknowledgement (W-47): a user declares that the partner has carried out a delivery, by
 * hand or according to its books. The delivery then counts as acknowledged.
 */

import type { Money } from '@purser/protocol/values/money'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { type PlatformRefusal, toNotFound } from '../platform-refusal.ts'
import { NOT_OWED } from '../store/needs-attention.ts'
import { type DeliveryKind, promoteNext, REDACT_TOKEN } from '../store/outbox.ts'
import { type AcknowledgedState, saveAcknowledged } from '../store/platform-bet-store.ts'
import { addDeliveryChanges } from '../store/platform-change-feed.ts'
import { lockBetOfDelivery, NEEDS_MANUAL_ACTION, NOT_STUCK } from './manual-retry.ts'

const ACKNOWLEDGE = statement(
  'platform_acknowledge',
  `with was as (
     select delivery_id, status from platform.delivery d where delivery_id = $1::bigint and ${NEEDS_MANUAL_ACTION} for update
   ) update platform.delivery d
   set status = 'done', finished_at = $2::timestamptz, code = null, error = $3, ${NOT_OWED}
   from was where d.delivery_id = was.delivery_id
   returning d.delivery_id, d.bet_id, d.partner_id, d.number, d.operation, d.payout, d.result_type, was.status`,
)

/**
 * The delivery is never sent again, so its token is deleted (O-6), as in attempt-outcome-store.ts.
 */
const REDACT_TOKENS = statement(
  'platform_forget_tokens',
  `with ended as (
     select d.* from platform.delivery d where d.delivery_id = $1::bigint
   ), of_bet as (
     update platform.bet b set token = ''
     from ended e where b.bet_id = e.bet_id and b.deliveries = e.number and b.status in ('settled', 'cancelled')
   ) update platform.message m set body = ${REDACT_TOKEN('m.body')}
   from ended e where m.delivery_id = e.delivery_id and (e.operation = 'rollback' or e.result_type = 'cashout')`,
)

interface AcknowledgedRow extends Row {
  delivery_id: bigint
  bet_id: string
  partner_id: string
  number: number
  operation: DeliveryKind
  payout: Money | null
  result_type: string | null
  status: 'stuck' | 'refused'
}

const ACKNOWLEDGED_STATUS = { settle: 'settled', unsettle: 'open', rollback: 'cancelled' } as const satisfies Record<
  DeliveryKind,
  AcknowledgedState['status']
>

export interface AcknowledgeDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  /** Called when deliveries are due. */
  decided(): void
}

/** The next delivery of the bet becomes due. */
export async function acknowledgeManually(
  { db, clock, decided }: AcknowledgeDeps,
  author: Actor,
  deliveryId: bigint,
  reason: string,
): Promise<PlatformRefusal | undefined> {
  const objection = await db.transaction(async (tx) => {
    if (!(await lockBetOfDelivery(tx, deliveryId))) return toNotFound('the delivery')
    const now = clock.now()
    const error = `acknowledged by hand: ${reason}`
    const [row] = await tx.query<AcknowledgedRow>(ACKNOWLEDGE, [deliveryId, now, error])
    if (row === undefined) return NOT_STUCK
    const { bet_id: betId, payout, result_type: resultType, status } = row
    await Promise.all([
      saveAcknowledged(tx, [{ betId, status: ACKNOWLEDGED_STATUS[row.operation], payout, resultType }]),
      tx.execute(REDACT_TOKENS, [deliveryId]),
      promoteNext(tx, [row], now),
      addDeliveryChanges(tx, [{ delivery: row, status: 'done', code: null, error }], now),
      author.record(tx, {
        on: { deliveryId: String(deliveryId) },
        before: { status },
        after: { status: 'done' },
        at: now,
      }),
    ])
    return undefined
  })
  if (objection === undefined) decided()
  return objection
}
