/**
 * What this process knows of the lanes: what is due in each, and its mark, behind which the next look at its queue begins.
 *
 * A mark is the last delivery that this process claimed, so what is before it has been taken. But for what was decided a moment
 * ago by somebody who read the clock before us: such is looked for whenever something was decided. And but for what another
 * process let go: the look at the whole queue, once a second, finds that (deliverer.ts).
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

/** Calls that are recorded in one turn at most, and claimed: so that its statements end in time, and what they carry has room. */
export const MAX_PER_TURN = 500

export interface DeliveryLanes {
  /** When something is due, by lane; lanes without any are left out. */
  due(): readonly LaneDue[]
  marks(): ReadonlyMap<string, QueueMark>
  /** Lanes in which something is due and may be sent, the longest due first. When all together may send more than a turn can claim, they share it. */
  claimable(breakers: CircuitBreakers, now: Date): ClaimableLane[]
  /** What is due now, as it was read. */
  setDue(due: readonly LaneDue[]): void
  /** What was claimed of what was wanted, in the order of the queues. True if one of the lanes had less than was wanted. */
  advance(claimable: readonly ClaimableLane[], claims: readonly Claim[]): boolean
  /** The first of each queue; what is before it is not due any more. */
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

/** What one leaves of its share is for those after it. */
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
