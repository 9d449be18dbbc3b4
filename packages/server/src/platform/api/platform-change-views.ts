/** Views of the changes in the platform's feed: new states of bets, and ends of deliveries. */

import { formatMoney, type Money, requireScale, type Scales } from '@purser/protocol/values/money'
import { Type } from 'typebox'
import type { FeedEvent } from '../../core/change-feed/change-feed.ts'
import type { EventSubject } from '../../core/change-feed/change-notifier.ts'
import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import { eventEnvelope, type FeedRoutes, listEventNames, toEventEnvelope } from '../../core/change-feed/feed-routes.ts'
import type { BetChangeMembers, DeliveryChangeMembers } from '../store/platform-change-feed.ts'
import type { PlatformRouteDeps } from './platform-routes.ts'
import { PLATFORM_KEY } from './platform-schemas.ts'
import { BetViewSchema, DeliverySchema } from './platform-views.ts'

const { betId, partnerId, userId, operatorUser, currency, amount, status, reason, resultType, payout } =
  BetViewSchema.properties
const BetChange = Type.Object({
  ...eventEnvelope,
  event: Type.Enum(['bet.accepted', 'bet.declined', 'bet.cancelled', 'bet.settled'], {
    description:
      'The bet is this now. `accepted` again means that its result was withdrawn. `settled` again means a new result or another source. ' +
      'A bet that is being placed enters the feed when it is decided.',
  }),
  bet: Type.Object({
    ...{ betId, partnerId, userId, operatorUser, currency, amount, status, reason, resultType, payout },
    decidedBy: Type.Optional(Type.Enum(['event', 'request'])),
  }),
})

const { deliveryId, operation, code, error } = DeliverySchema.properties
const DeliveryChange = Type.Object({
  ...eventEnvelope,
  event: Type.Enum(['delivery.done', 'delivery.refused', 'delivery.stuck', 'delivery.pending'], {
    description:
      'The new state of a delivery. `pending` means that it was retried by hand. A Place bet has no such event, because its bet has one.',
  }),
  delivery: Type.Object({
    ...{ deliveryId, betId, partnerId, operation },
    status: DeliverySchema.properties.status,
    ...{ code, error },
  }),
})

export const PlatformChangeSchema = Type.Union([BetChange, DeliveryChange])
export const PLATFORM_EVENTS = listEventNames(PlatformChangeSchema)

/** Contains only ids. */
export function platformSubjectOf([name, ...members]: StoredEvent): EventSubject {
  if (!name.startsWith('bet.')) return { bet: String(members[1]) }
  const [bet, , player] = members
  return { bet: String(bet), player: String(player) }
}

export function platformFeedRoutes({ feed, scales }: Pick<PlatformRouteDeps, 'feed' | 'scales'>): FeedRoutes {
  return {
    feed,
    event: PlatformChangeSchema,
    key: PLATFORM_KEY,
    tag: 'Changes',
    show: (event) => toChangeView(scales, event),
  }
}

function toChangeView(scales: Scales, change: FeedEvent) {
  const shown = toEventEnvelope(change)
  const [event, ...members] = change.event
  return event.startsWith('bet.')
    ? { ...shown, bet: toBetChange(scales, members as unknown as BetChangeMembers) }
    : { ...shown, delivery: toDeliveryChange(members as unknown as DeliveryChangeMembers) }
}

function toBetChange(scales: Scales, members: BetChangeMembers) {
  const [betId, partnerId, userId, operatorUser, currency, stake, status, reason, resultType, payout, decidedBy] =
    members
  const show = (minor: string) => formatMoney(BigInt(minor) as Money, requireScale(scales, currency))
  return {
    ...{ betId, partnerId, userId },
    ...(operatorUser !== null && { operatorUser }),
    ...{ currency, amount: show(stake), status },
    ...(reason !== null && { reason }),
    ...(resultType !== null && payout !== null && { resultType, payout: show(payout) }),
    ...(decidedBy !== null && { decidedBy }),
  }
}

function toDeliveryChange([deliveryId, betId, partnerId, operation, status, code, error]: DeliveryChangeMembers) {
  return {
    ...{ deliveryId, betId, partnerId, operation, status },
    ...(code !== null && { code }),
    ...(error !== null && { error }),
  }
}
