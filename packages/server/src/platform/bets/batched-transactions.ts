/**
 * Batches of concurrent requests, each batch in one transaction.
 *
 * A batch does not wait for bets that another transaction has locked. If anything else blocks the
 * batch, it is abandoned. Its requests, and requests for locked bets, are then repeated alone and
 * wait as long as necessary.
 */

import { createBatcher } from '@purser/runtime/async/batcher'
import { isOutage } from '../../core/database/database-errors.ts'
import type { Db, Tx } from '../../core/database/db.ts'

/** Treatment of a bet that another transaction holds. */
export type BusyPolicy = 'wait' | 'leave'

/**
 * Batches use a connection of their own, without retries, because a blocked batch delays every
 * request in it.
 */
export function batchInTransactions<Item, Result>(
  db: Db,
  maxWaiting: number,
  work: (tx: Tx, items: readonly Item[], busy: BusyPolicy) => Promise<readonly (Result | undefined)[]>,
): (item: Item) => Promise<Result> {
  const lane = db.openLane()
  return createBatcher({
    processBatch: (items) => lane.transaction((tx) => work(tx, items, 'leave')),
    processOne: async (item) => requireSingle(await db.transaction((tx) => work(tx, [item], 'wait'))),
    isBatchFatal: isOutage,
    maxWaiting,
  })
}

export function requireSingle<T>([result]: readonly (T | undefined)[]): T {
  if (result === undefined) throw new Error('a bet disappeared during its transaction')
  return result
}

/** Maximum number of waiting requests; further ones are rejected and can be retried. */
export const MAX_WAITING_REQUESTS = 4_000
