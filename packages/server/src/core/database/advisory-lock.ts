/** Advisory lock that allows one run of a command at a time on a database. */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, statement } from './db.ts'

/**
 * Two archive runs would write the same accounts into two files. Two moves would undo each other's
 * rows.
 */
const LOCK_KEYS = { archive: 0, move: 1 } as const

/** The first key is the namespace: 2 for commands, 1 for the platform's events. */
const TRY_LOCK = statement('command_alone', 'select pg_try_advisory_xact_lock(2, $1::int) as is_alone')
/** The transaction that holds the lock has no time limit. It locks no rows and delays no vacuum. */
const DISABLE_TIMEOUTS = statement(
  'command_alone_without_end',
  `select set_config(name, '0', true) from pg_catalog.pg_settings
   where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
)
const PROBE_LOCK = statement('command_still_alone', 'select 1')

/**
 * Throws UsageError while another run is under way. `requireLock` throws when the connection that
 * holds the lock is lost, because another run may then have begun.
 */
export async function withExclusiveRun<T>(
  db: Db,
  command: keyof typeof LOCK_KEYS,
  work: (requireLock: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (db.kind === 'pglite') return work(async () => {}) // PGlite has one process and one connection
  return db.longTransaction(async (tx) => {
    await tx.query(DISABLE_TIMEOUTS)
    const [lock] = await tx.query<{ is_alone: boolean }>(TRY_LOCK, [LOCK_KEYS[command]])
    if (!lock?.is_alone)
      throw new UsageError(`another purser ${command} is running on this database: wait until it ends, or stop it`)
    return work(async () => void (await tx.query(PROBE_LOCK)))
  })
}
