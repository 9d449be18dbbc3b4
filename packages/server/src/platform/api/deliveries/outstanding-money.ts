/**
 * Money of the listed deliveries that has not moved. The sum for a partner equals the amount in the
 * list of partners.
 */
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { booleanParameter } from '../../../core/http/api/query-parameters.ts'
import { outstandingAmount } from '../../store/needs-attention.ts'
import { optional } from '../platform-schemas.ts'
import { DeliverySchema, type ViewDeps } from '../platform-views.ts'

export const outstandingMoneyQuery = booleanParameter(
  'If true, each open delivery contains the outstanding amount that counts for its partner.',
)
export const outstandingMoneyMembers = {
  outstandingAmount: optional({
    ...DeliverySchema.properties.owedAmount,
    description:
      'Present with `outstanding=true`: the outstanding amount, like `owedAmount`, also of deliveries that do not need attention. It is absent if an earlier delivery counts the money of the bet, and with `isStakeUnknown`.',
  }),
  isStakeUnknown: optional(
    Type.Boolean({
      description:
        'Present with `outstanding=true` on the Rollback of a bet that the partner never acknowledged. The partner may or may not have taken the stake, so the sums in `inProgress` leave it out.',
    }),
  ),
}

const READ_OUTSTANDING = statement(
  'platform_unmoved_of_bets',
  `select b.bet_id, ${outstandingAmount('b')}::text as amount, b.acknowledged_status is null as is_stake_unknown
   from platform.bet b where b.bet_id = any($1::uuid[])`,
)
interface OutstandingRow extends Record<string, unknown> {
  readonly bet_id: string
  readonly amount: string
  readonly is_stake_unknown: boolean
}

type Delivery = Static<typeof DeliverySchema>

/** Only deliveries that are pending or need attention have an amount. */
export async function readOutstandingMoney({ db }: ViewDeps, deliveries: readonly Delivery[]) {
  const some = deliveries.filter(isNotOver)
  const rows = await db.userQueries.query<OutstandingRow>(READ_OUTSTANDING, [some.map(({ betId }) => betId)])
  const ofBet = new Map(rows.map((row) => [row.bet_id, row]))
  return (delivery: Delivery) => {
    const found = isNotOver(delivery) ? ofBet.get(delivery.betId) : undefined
    if (found === undefined) return {}
    const { owedAmount } = delivery
    if (found.is_stake_unknown) return { isStakeUnknown: true }
    return { outstandingAmount: owedAmount ?? found.amount }
  }
}

const isNotOver = ({ status, operation, needsAttentionSince }: Delivery) =>
  operation !== 'place' && (status === 'pending' || needsAttentionSince !== undefined)
