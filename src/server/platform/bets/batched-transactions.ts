/**
 * What many users ask for at the same time is done in one transaction for all of them. It waits for no bet that somebody else holds, and is
 * given up when anything else keeps it waiting; what was left out or given up waits alone, as long as is needed.
 */

import { createBatcher } from '../../../runtime/async/batcher.ts'
import { isOutage } from '../../core/database/database-errors.ts'
import type { Db, Tx } from '../../core/database/db.ts'

/** What becomes of a bet that somebody else holds. */
export type BusyPolicy = 'wait' | 'leave'

/** Each batch is a transaction, on a connection of its own: one that is kept waiting must not be patient, it keeps everybody waiting. */
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

/** Wishes that wait at most; others are told to come again. */
export const MAX_WAITING_REQUESTS = 4_000
