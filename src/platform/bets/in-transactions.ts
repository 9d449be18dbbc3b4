/**
 * What many users ask for at the same time is done in one transaction for all of them. It waits for no bet that somebody else holds, and is
 * given up when anything else keeps it waiting; what was left out or given up waits alone, as long as is needed.
 */
import type { Db, Tx } from '../../db/db.ts'
import { isOutage } from '../../db/errors.ts'
import { inBatches } from '../../runtime/batches.ts'

/** What becomes of a bet that somebody else holds. */
export type Busy = 'wait' | 'leave'

/** Each batch is a transaction, on a connection of its own: one that is kept waiting must not be patient, it keeps everybody waiting. */
export function inTransactions<Item, Result>(
  db: Db,
  mostWaiting: number,
  work: (tx: Tx, items: readonly Item[], busy: Busy) => Promise<readonly (Result | undefined)[]>,
): (item: Item) => Promise<Result> {
  const lane = db.openLane()
  return inBatches({
    together: (items) => lane.transaction((tx) => work(tx, items, 'leave')),
    alone: async (item) => only(await db.transaction((tx) => work(tx, [item], 'wait'))),
    failsAll: isOutage,
    mostWaiting,
  })
}

export function only<T>([result]: readonly (T | undefined)[]): T {
  if (result === undefined) throw new Error('a bet that was there is gone')
  return result
}

/** Wishes that wait at most; others are told to come again. */
export const MOST_WISHES = 4_000
