/**
 * Recovery of prepared transactions on Citus workers. Until it is complete, a worker may not show a
 * committed transaction. So the comparison of two databases must wait for it.
 */

import { sleep } from '@purser/runtime/async/sleep'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import { type Db, statement } from '../../core/database/db.ts'

const RECOVER = statement('move_recover_prepared', 'select recover_prepared_transactions()')
const PREPARED = statement(
  'move_prepared',
  `select nodename || ':' || nodeport as worker from run_command_on_workers(
     'select count(*) from pg_catalog.pg_prepared_xacts where database = current_database()') where not success or result <> '0'`,
)
const MAX_ATTEMPTS = 30
const PAUSE_MS = 1_000

/** Throws UnavailableError if a worker keeps prepared transactions. */
export async function recoverPreparedTransactions(db: Db): Promise<void> {
  if (db.kind !== 'citus') return
  for (let attempt = 1; ; attempt += 1) {
    await db.longTransaction((tx) => tx.query(RECOVER))
    const left = await db.longTransaction((tx) => tx.query<{ worker: string }>(PREPARED))
    if (left.length === 0) return
    if (attempt === MAX_ATTEMPTS)
      throw new UnavailableError(
        `${left.map(({ worker }) => worker).join(', ')}: prepared transactions do not end; run the command again`,
      )
    await sleep(PAUSE_MS)
  }
}
