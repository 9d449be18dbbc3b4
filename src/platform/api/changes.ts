/** The platform's feed as it is shown: bets as they are from then on, and how deliveries ended. */
import { Type } from 'typebox'
import type { StoredEvent } from '../../feed/change-store.ts'
import type { FeedEvent } from '../../feed/feed.ts'
import type { Subject } from '../../feed/live.ts'
import { envelope, eventNames, type FeedRoutes, showEnvelope } from '../../feed/routes.ts'
import { formatMoney, type Money, type Scales, scaleOf } from '../../protocol/money.ts'
import type { BetMembers, DeliveryMembers } from '../change.ts'
import type { RouteDeps } from './routes.ts'
import { KEY } from './shapes.ts'
import { BetViewSchema, DeliverySchema } from './views.ts'

const { betId, partnerId, userId, operatorUser, currency, amount, status, reason, resultType, payout } =
  BetViewSchema.properties
const BetChange = Type.Object({
  ...envelope,
  event: Type.Enum(['bet.accepted', 'bet.declined', 'bet.cancelled', 'bet.settled'], {
    description:
      'The bet is this from now on. accepted again: its result was taken back. settled again: another result, or decided by another. ' +
      'A bet that is being placed is in the feed when it is decided.',
  }),
  bet: Type.Object({
    ...{ betId, partnerId, userId, operatorUser, currency, amount, status, reason, resultType, payout },
    decidedBy: Type.Optional(Type.Enum(['event', 'request'])),
  }),
})

const { deliveryId, operation, code, error } = DeliverySchema.properties
const DeliveryChange = Type.Object({
  ...envelope,
  event: Type.Enum(['delivery.done', 'delivery.refused', 'delivery.stuck', 'delivery.pending'], {
    description:
      'What became of telling the partner; pending: sent again by a person. A Place bet has no such event: its bet has.',
  }),
  delivery: Type.Object({
    ...{ deliveryId, betId, partnerId, operation },
    status: DeliverySchema.properties.status,
    ...{ code, error },
  }),
})

export const ChangeSchema = Type.Union([BetChange, DeliveryChange])
export const EVENTS = eventNames(ChangeSchema)

/** Ids only. */
export function subjectOf([name, ...members]: StoredEvent): Subject {
  if (!name.startsWith('bet.')) return { bet: String(members[1]) }
  const [bet, , player] = members
  return { bet: String(bet), player: String(player) }
}

export function feedRoutes({ feed, scales }: Pick<RouteDeps, 'feed' | 'scales'>): FeedRoutes {
  return { feed, event: ChangeSchema, key: KEY, tag: 'Changes', show: (event) => showChange(scales, event) }
}

function showChange(scales: Scales, change: FeedEvent) {
  const shown = showEnvelope(change)
  const [event, ...members] = change.event
  return event.startsWith('bet.')
    ? { ...shown, bet: showBet(scales, members as unknown as BetMembers) }
    : { ...shown, delivery: showDelivery(members as unknown as DeliveryMembers) }
}

function showBet(scales: Scales, members: BetMembers) {
  const [betId, partnerId, userId, operatorUser, currency, stake, status, reason, resultType, payout, decidedBy] =
    members
  const show = (minor: string) => formatMoney(BigInt(minor) as Money, scaleOf(scales, currency))
  return {
    ...{ betId, partnerId, userId },
    ...(operatorUser !== null && { operatorUser }),
    ...{ currency, amount: show(stake), status },
    ...(reason !== null && { reason }),
    ...(resultType !== null && payout !== null && { resultType, payout: show(payout) }),
    ...(decidedBy !== null && { decidedBy }),
  }
}

function showDelivery([deliveryId, betId, partnerId, operation, status, code, error]: DeliveryMembers) {
  return {
    ...{ deliveryId, betId, partnerId, operation, status },
    ...(code !== null && { code }),
    ...(error !== null && { error }),
  }
}
