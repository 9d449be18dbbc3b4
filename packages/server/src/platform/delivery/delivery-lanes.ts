/**
 * Due deliveries and marks of the lanes, in the memory of one process. A lane has a partner's
 * results or its rollbacks.
 *
 * The mark of a lane is the last delivery that this process claimed; the next read starts after it.
 * Deliveries before the mark are already claimed, with two exceptions:
 * - A decision with an earlier time may commit later. Each read after a decision therefore starts
 *   before the mark.
 * - Another process may release a delivery. The poll of the whole queue, once a second, finds it
 *   (deliverer.ts).
 */
import type { CircuitBreakers } from '../circuit-breaker.ts'
import { deliveryLaneOf } from '../circuit-breaker.ts'
import {
  type Claim,
  type ClaimableLane,
  formatLaneKey,
  type LaneDue,
  type LaneKey,
  type QueueMark,
} from './delivery-claim.ts'

/**
 * Maximum number of calls that a turn records or claims; it bounds the time and size of the
 * statements.
 */
export const MAX_PER_TURN = 500

export interface DeliveryLanes {
  /** Empty lanes are absent. */
  due(): readonly LaneDue[]
  marks(): ReadonlyMap<string, QueueMark>
  /**
   * Lanes with due deliveries and free capacity, the longest due first. They share a turn that is
   * too small for all.
   */
  claimable(breakers: CircuitBreakers, now: Date): ClaimableLane[]
  setDue(due: readonly LaneDue[]): void
  /**
   * Moves the marks; `claims` are in queue order. Returns true if a lane had fewer deliveries than
   * its capacity.
   */
  advance(claimable: readonly ClaimableLane[], claims: readonly Claim[]): boolean
  /** Moves each mark to directly before the first delivery of the queue. */
  rewind(due: readonly LaneDue[]): void
}

export function createDeliveryLanes(): DeliveryLanes {
  const marks = new Map<string, QueueMark>()
  let due: readonly LaneDue[] = []
  const withFree = (breakers: CircuitBreakers, { partnerId, lane }: LaneKey, now: Date): ClaimableLane => ({
    partnerId,
    lane,
    free: breakers.of(partnerId).allowance(lane, now.getTime()),
    mark: marks.get(formatLaneKey({ partnerId, lane })),
  })
  return {
    due: () => due,
    marks: () => marks,
    claimable: (breakers, now) =>
      shareTurn(
        due
          .filter(({ dueAt }) => dueAt <= now)
          .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
          .map((lane) => withFree(breakers, lane, now))
          .filter(({ free }) => free > 0),
      ),
    setDue(found) {
      due = found
    },
    advance(claimable, claims) {
      const counts = new Map<string, number>()
      for (const claim of claims) {
        const name = formatLaneKey({ partnerId: claim.partner_id, lane: deliveryLaneOf(claim.operation) })
        counts.set(name, (counts.get(name) ?? 0) + 1)
        marks.set(name, { dueAt: claim.due_at, deliveryId: claim.delivery_id })
      }
      return claimable.some((lane) => (counts.get(formatLaneKey(lane)) ?? 0) < lane.free)
    },
    rewind(found) {
      for (const { at, ...lane } of found)
        marks.set(formatLaneKey(lane), { dueAt: at.dueAt, deliveryId: at.deliveryId - 1n })
    },
  }
}

/** The lanes after a lane get the unused rest of its share. */
function shareTurn(lanes: readonly ClaimableLane[]): ClaimableLane[] {
  let rest = MAX_PER_TURN
  return lanes
    .map((lane, i) => {
      const free = Math.min(lane.free, Math.ceil(rest / (lanes.length - i)))
      rest -= free
      return { ...lane, free }
    })
    .filter(({ free }) => free > 0)
}
