/**
 * Changes for the platform's feed (packages/server/src/core/change-feed): each new state of a bet,
 * and each end of a delivery.
 */

import { addChanges, createChangeStore, type StoredEvent } from '../../core/change-feed/change-store.ts'
import type { Tx } from '../../core/database/db.ts'
import type { DeliveryKind, DeliveryStatus } from './outbox.ts'
import type { PlatformBet } from './platform-bet.ts'

export const PLATFORM_CHANGES = createChangeStore('platform')

/** The stored form. Amounts are in minor units (M-5). */
export type BetChangeMembers = readonly [
  betId: string,
  partnerId: string,
  userId: string,
  operatorUser: string | null,
  currency: string,
  stake: string,
  status: PlatformBet['status'],
  reason: string | null,
  resultType: string | null,
  payout: string | null,
  decidedBy: string | null,
]

/** The caller holds the bets. */
export function addBetChanges(tx: Tx, bets: readonly PlatformBet[], at: Date): Promise<void> {
  return addChanges(tx, PLATFORM_CHANGES, bets.map(toBetEvent), at)
}

function toBetEvent(bet: PlatformBet): StoredEvent {
  const { betId, partnerId, userId, operatorUser, currency, stake, status, reason, result } = bet
  const members: BetChangeMembers = [
    ...([betId, partnerId, userId, operatorUser, currency, String(stake), status, reason] as const),
    ...([result?.resultType ?? null, result && String(result.payout), result?.source ?? null] as const),
  ]
  return [`bet.${status}`, ...members]
}

export type DeliveryChangeMembers = readonly [
  deliveryId: string,
  betId: string,
  partnerId: string,
  operation: DeliveryKind,
  status: DeliveryStatus,
  code: number | null,
  error: string | null,
]

export interface EndedDelivery {
  readonly delivery: {
    readonly delivery_id: bigint
    readonly bet_id: string
    readonly partner_id: string
    readonly operation: DeliveryKind
  }
  readonly status: DeliveryStatus
  readonly code: number | null
  readonly error: string | null
}

/** Not for Place bets, whose end is an event of the bet. The caller holds the deliveries. */
export function addDeliveryChanges(tx: Tx, ended: readonly EndedDelivery[], at: Date): Promise<void> {
  const events = ended.map(({ delivery, status, code, error }): StoredEvent => {
    const { delivery_id, bet_id, partner_id, operation } = delivery
    const members: DeliveryChangeMembers = [String(delivery_id), bet_id, partner_id, operation, status, code, error]
    return [`delivery.${status}`, ...members]
  })
  return addChanges(tx, PLATFORM_CHANGES, events, at)
}
