/**
 * A person says that a partner has done what a delivery asks for, as the partner did not say it itself: it paid by hand, or its books show it (W-47).
 * From then on the delivery counts as acknowledged.
 */
import { type Db, type Row, statement } from '../../db/db.ts'
import type { Author } from '../../people/actions.ts'
import type { Money } from '../../protocol/money.ts'
import { saveTold, type Told } from '../bets/bet-store.ts'
import { noteDeliveries } from '../change.ts'
import { noSuch, type Refused } from '../refusal.ts'
import { promoteNext, WITHOUT_TOKEN } from './outbox.ts'
import { NOT_OWED } from './owed.ts'
import { IS_FOR_A_PERSON, lockBetOf, NOT_STUCK } from './retry.ts'
import type { DeliveryKind } from './schedule.ts'

const ACKNOWLEDGE = statement(
  'platform_acknowledge',
  `with was as (
     select delivery_id, status from platform.delivery d where delivery_id = $1::bigint and ${IS_FOR_A_PERSON} for update
   ) update platform.delivery d
   set status = 'done', finished_at = $2::timestamptz, code = null, error = $3, ${NOT_OWED}
   from was where d.delivery_id = was.delivery_id
   returning d.delivery_id, d.bet_id, d.partner_id, d.number, d.operation, d.payout, d.result_type, was.status`,
)

/** Nobody will send them again (O-6); as finish.ts has it. */
const FORGET_TOKENS = statement(
  'platform_forget_tokens',
  `with ended as (
     select d.* from platform.delivery d where d.delivery_id = $1::bigint
   ), of_bet as (
     update platform.bet b set token = ''
     from ended e where b.bet_id = e.bet_id and b.deliveries = e.number and b.status in ('settled', 'cancelled')
   ) update platform.message m set body = ${WITHOUT_TOKEN('m.body')}
   from ended e where m.delivery_id = e.delivery_id and (e.operation = 'rollback' or e.result_type = 'cashout')`,
)

interface Acknowledged extends Row {
  delivery_id: bigint
  bet_id: string
  partner_id: string
  number: number
  operation: DeliveryKind
  payout: Money | null
  result_type: string | null
  status: 'stuck' | 'refused'
}

const TOLD = { settle: 'settled', unsettle: 'open', rollback: 'cancelled' } as const satisfies Record<
  DeliveryKind,
  Told['status']
>

export interface AcknowledgeDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  /** Deliveries are due. */
  decided(): void
}

/** The delivery behind it goes out. */
export async function acknowledgeByHand(
  { db, clock, decided }: AcknowledgeDeps,
  author: Author,
  deliveryId: bigint,
  reason: string,
): Promise<Refused | undefined> {
  const objection = await db.transaction(async (tx) => {
    if (!(await lockBetOf(tx, deliveryId))) return noSuch('the delivery')
    const now = clock.now()
    const error = `said by hand to be done: ${reason}`
    const [row] = await tx.query<Acknowledged>(ACKNOWLEDGE, [deliveryId, now, error])
    if (row === undefined) return NOT_STUCK
    const { bet_id: betId, payout, result_type: resultType, status } = row
    await Promise.all([
      saveTold(tx, [{ betId, status: TOLD[row.operation], payout, resultType }]),
      tx.execute(FORGET_TOKENS, [deliveryId]),
      promoteNext(tx, [row], now),
      noteDeliveries(tx, [{ delivery: row, status: 'done', code: null, error }], now),
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
