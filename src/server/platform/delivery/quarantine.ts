/** Deliveries that the database refuses to change at all: left out for a minute at a time, so that what is behind them goes out (C-15). */
import { createLru } from '../../../runtime/lru-cache.ts'
import { MAX_RESULT_GAP_MS } from './retry-backoff.ts'

export interface Quarantine {
  ids(): bigint[]
  add(deliveryId: bigint): void
  /** It could not be claimed, and neither could anything beside it: the fault may be everywhere. */
  suspect(deliveryId: bigint): void
  /** These were claimed: the fault is not everywhere, and they have none. */
  claimed(deliveryIds: readonly bigint[]): void
  /** True if something was claimed since it was suspected: the fault is its own. */
  isProven(deliveryId: bigint): boolean
}

/** Each statement that looks for what is due is sent them all. Of more, the older ones are tried again too early. */
const MAX_QUARANTINED = 1_000
/** Milliseconds that a suspect is left out: where the fault was everywhere, and is over, a Rollback has its times (C-4). */
const SUSPECT_MS = 5_000

/** `elapsed`: milliseconds of a clock that nobody sets. */
export function createQuarantine(elapsed: () => number): Quarantine {
  const until = createLru<number, bigint>(MAX_QUARANTINED)
  const suspects = createLru<number, bigint>(MAX_QUARANTINED)
  let claimedAt = Number.NEGATIVE_INFINITY
  return {
    ids() {
      for (const [id, at] of until.entries()) if (at <= elapsed()) until.delete(id)
      return Array.from(until.entries(), ([id]) => id)
    },
    add: (deliveryId) => until.set(deliveryId, elapsed() + MAX_RESULT_GAP_MS),
    suspect(deliveryId) {
      suspects.set(deliveryId, elapsed())
      until.set(deliveryId, elapsed() + SUSPECT_MS)
    },
    claimed(deliveryIds) {
      claimedAt = elapsed()
      for (const id of deliveryIds) suspects.delete(id)
    },
    isProven: (deliveryId) => (suspects.get(deliveryId) ?? Number.POSITIVE_INFINITY) < claimedAt,
  }
}
