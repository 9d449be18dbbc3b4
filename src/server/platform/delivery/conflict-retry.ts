/**
 * Transactions that wait for busy rows. The wallet gives a lock up after half a second, because its caller waits 5 s; here
 * a result may meet hundreds of bets that are just being placed, and its sender wants it done. What met a busy row or
 * another's change has left nothing behind and is done again from the beginning.
 */

import { sleep } from '../../../runtime/async/sleep.ts'
import { environment } from '../../../runtime/environment.ts'
import { isBusy } from '../../core/database/database-errors.ts'
import type { Db } from '../../core/database/db.ts'

/** Milliseconds after which a transaction that met something busy is not begun again. */
const CONFLICT_RETRY_MS = 8_000
/** Milliseconds between two tries, at most: by chance, so that two that met do not meet again. */
const MAX_PAUSE_MS = 40

/** The same database with patient transactions; `work` may run several times. Throws the last error when patience ends. */
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
