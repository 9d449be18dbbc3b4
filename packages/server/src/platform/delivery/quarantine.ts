/**
 * Quarantine for deliveries that the database rejects. A delivery in quarantine is skipped for a
 * minute at a time, so that later deliveries are sent (C-15).
 */
import { createLru } from '@purser/runtime/lru-cache'
import { MAX_RESULT_GAP_MS } from './retry-backoff.ts'

export interface Quarantine {
  ids(): bigint[]
  add(deliveryId: bigint): void
  /** No delivery could be claimed, so the fault may be general. */
  suspect(deliveryId: bigint): void
  /** These deliveries are sound, and the fault is not general. */
  claimed(deliveryIds: readonly bigint[]): void
  /** True if another delivery was claimed since the suspicion. */
  isProven(deliveryId: bigint): boolean
}

/**
 * Each read of due deliveries sends all ids. Beyond this number, the oldest are tried again too
 * early.
 */
const MAX_QUARANTINED = 1_000
/**
 * A suspect is skipped only briefly: after a general fault a Rollback must have time for its
 * attempts (C-4).
 */
const SUSPECT_MS = 5_000

/** `elapsed` returns monotonic milliseconds. */
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
