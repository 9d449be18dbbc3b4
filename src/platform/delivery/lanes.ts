/**
 * What this process knows of the lanes: what is due in each, and its mark, behind which the next look at its queue begins.
 *
 * A mark is the last delivery that this process claimed, so what is before it has been taken. But for what was decided a moment
 * ago by somebody who read the clock before us: such is looked for whenever something was decided. And but for what another
 * process let go: the look at the whole queue, once a second, finds that (deliver.ts).
 */
import type { Breakers } from './breaker.ts'
import { laneOf } from './breaker.ts'
import { type Claim, type LaneDue, type LaneKey, type Mark, nameOf, type Wanted } from './claim.ts'

/** Calls that are recorded in one turn at most, and claimed: so that its statements end in time, and what they carry has room. */
export const MOST_IN_TURN = 500

export interface Lanes {
  /** When something is due, by lane; lanes without any are left out. */
  due(): readonly LaneDue[]
  marks(): ReadonlyMap<string, Mark>
  /** Lanes in which something is due and may be sent, the longest due first. When all together may send more than a turn can claim, they share it. */
  wanted(breakers: Breakers, now: Date): Wanted[]
  /** What is due now, as it was read. */
  saw(due: readonly LaneDue[]): void
  /** What was claimed of what was wanted, in the order of the queues. True if one of the lanes had less than was wanted. */
  took(wanted: readonly Wanted[], claims: readonly Claim[]): boolean
  /** The first of each queue; what is before it is not due any more. */
  front(due: readonly LaneDue[]): void
}

export function createLanes(): Lanes {
  const marks = new Map<string, Mark>()
  let due: readonly LaneDue[] = []
  const withFree = (breakers: Breakers, { partnerId, lane }: LaneKey, now: Date): Wanted => ({
    partnerId,
    lane,
    free: breakers.of(partnerId).allowance(lane, now.getTime()),
    mark: marks.get(nameOf({ partnerId, lane })),
  })
  return {
    due: () => due,
    marks: () => marks,
    wanted: (breakers, now) =>
      shared(
        due
          .filter(({ dueAt }) => dueAt <= now)
          .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
          .map((lane) => withFree(breakers, lane, now))
          .filter(({ free }) => free > 0),
      ),
    saw(found) {
      due = found
    },
    took(wanted, claims) {
      const counts = new Map<string, number>()
      for (const claim of claims) {
        const name = nameOf({ partnerId: claim.partner_id, lane: laneOf(claim.operation) })
        counts.set(name, (counts.get(name) ?? 0) + 1)
        marks.set(name, { dueAt: claim.due_at, deliveryId: claim.delivery_id })
      }
      return wanted.some((lane) => (counts.get(nameOf(lane)) ?? 0) < lane.free)
    },
    front(found) {
      for (const { at, ...lane } of found) marks.set(nameOf(lane), { dueAt: at.dueAt, deliveryId: at.deliveryId - 1n })
    },
  }
}

/** What one leaves of its share is for those after it. */
function shared(lanes: readonly Wanted[]): Wanted[] {
  let rest = MOST_IN_TURN
  return lanes
    .map((lane, i) => {
      const free = Math.min(lane.free, Math.ceil(rest / (lanes.length - i)))
      rest -= free
      return { ...lane, free }
    })
    .filter(({ free }) => free > 0)
}
