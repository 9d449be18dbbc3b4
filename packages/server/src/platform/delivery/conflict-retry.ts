/**
 * Retry of transactions that fail because of a locked row or a conflicting change.
 *
 * A wallet waits for a lock only half a second, because its caller waits 5 s. The platform must
 * apply a result even while hundreds of bets on the event are being placed. A transaction with a
 * conflict has changed nothing, so it is repeated as a whole.
 */

import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { isBusy } from '../../core/database/database-errors.ts'
import type { Db } from '../../core/database/db.ts'

/** A conflict after this time is not retried. */
const CONFLICT_RETRY_MS = 8_000
/**
 * Upper bound of the random pause between two tries, which keeps two transactions from colliding
 * again.
 */
const MAX_PAUSE_MS = 40

/** `work` may run several times. After `CONFLICT_RETRY_MS` the last error is thrown. */
export function withConflictRetry(db: Db): Db {
  return { ...db, transaction: (work) => retryOnConflict(() => db.transaction(work)) }
}

async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = environment.monotonicNow() + CONFLICT_RETRY_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || environment.monotonicNow() > giveUpAt) throw error
      await sleep(environment.random() * MAX_PAUSE_MS)
    }
  }
}
