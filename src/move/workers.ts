/** Over several machines a worker may have what the coordinator has committed, and not shown it yet: then nobody may look. */
import { type Db, statement } from '../db/db.ts'
import { pause } from '../runtime/pause.ts'
import { Unreachable } from '../runtime/wrong-use.ts'

const RECOVER = statement('move_recover_prepared', 'select recover_prepared_transactions()')
const PREPARED = statement(
  'move_prepared',
  `select nodename || ':' || nodeport as worker from run_command_on_workers(
     'select count(*) from pg_catalog.pg_prepared_xacts where database = current_database()') where not success or result <> '0'`,
)
const LOOKS = 30
const PAUSE_MS = 1_000

/** Throws when a worker keeps transactions that are neither over nor undone. */
export async function settleWorkers(db: Db): Promise<void> {
  if (db.kind !== 'citus') return
  for (let look = 1; ; look += 1) {
    await db.unhurried((tx) => tx.query(RECOVER))
    const left = await db.unhurried((tx) => tx.query<{ worker: string }>(PREPARED))
    if (left.length === 0) return
    if (look === LOOKS)
      throw new Unreachable(
        `${left.map(({ worker }) => worker).join(', ')}: transactions that are made ready do not end; run it again`,
      )
    await pause(PAUSE_MS)
  }
}
