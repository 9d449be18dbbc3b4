/** One run of a command on a database at a time. */
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, statement } from './db.ts'

/** Two archive runs would write the same accounts into two files, of which one is for nothing; two moves would undo each other's rows. */
const COMMANDS = { archive: 0, move: 1 } as const

/** The first key says what the second is of, as for events of the platform (1). */
const TAKE = statement('command_alone', 'select pg_try_advisory_xact_lock(2, $1::int) as is_alone')
/** Of a transaction that does nothing but hold the lock. It holds no rows, and keeps no vacuum from its work. */
const WITHOUT_END = statement(
  'command_alone_without_end',
  `select set_config(name, '0', true) from pg_catalog.pg_settings
   where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
)
const STILL = statement('command_still_alone', 'select 1')

/** `requireAlone` throws when the connection that holds the lock is gone, and another run may have begun. Throws WrongUse when one is under way. */
export async function alone<T>(
  db: Db,
  command: keyof typeof COMMANDS,
  work: (requireAlone: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (db.kind === 'pglite') return work(async () => {}) // has one process, and one connection
  return db.unhurried(async (tx) => {
    await tx.query(WITHOUT_END)
    const [taken] = await tx.query<{ is_alone: boolean }>(TAKE, [COMMANDS[command]])
    if (!taken?.is_alone)
      throw new WrongUse(`another purser ${command} is at work on this database: wait for its end, or stop it`)
    return work(async () => void (await tx.query(STILL)))
  })
}
