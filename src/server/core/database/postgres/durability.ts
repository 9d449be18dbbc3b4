/**
 * Nothing is answered yes before it is durable, as far as that lies with the server. Its settings are looked at on each new
 * connection, and once a second: they can be changed and reloaded under a running process.
 *
 * synchronous_commit is pinned: it is set for the session, where no reload changes it. fsync and full_page_writes are the
 * server's alone; while one of them is off, nothing is begun.
 */
import type pg from 'pg'
import { environment } from '../../../../runtime/environment.ts'
import { NotDurableError } from '../database-errors.ts'
import { SESSION_SQL } from './session-settings.ts'

/** Milliseconds between two looks at a server in use. */
const WATCH_MS = 1_000

/** For one session (W-22). What is stricter than `on`, or waits for a standby in another way, stays; `local` does not wait for one. */
const PIN_SYNCHRONOUS_COMMIT = `select set_config('synchronous_commit',
  case when current_setting('synchronous_commit') in ('off', 'local') then 'on' else current_setting('synchronous_commit') end, false)`
const READ_CRASH_SAFETY =
  "select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes"
/** As a session has it that does not pin it. */
const READ_DEFAULT_SYNCHRONOUS_COMMIT =
  "select reset_val as synchronous_commit from pg_catalog.pg_settings where name = 'synchronous_commit'"

type DurabilitySettings = Record<string, string>

/**
 * What keeps a commit: the server, by fsync and full pages, or the storage below it. Some hosted databases have
 * both settings off, because their storage has each commit on several machines before the server answers.
 */
export type Durability = 'server' | 'storage'

/** Throws NotDurableError when one of the settings is off. */
function refuseUnsafeSettings(look: DurabilitySettings | undefined): void {
  const off = Object.keys(look ?? {}).filter((name) => look?.[name] === 'off')
  if (off.length === 0) return
  const settings = off.map((name) => `${name}=off`).join(' and ')
  throw new NotDurableError(
    `the Postgres server has ${settings}, so an answered bet could be lost in a crash: turn it on, or set PURSER_DURABILITY=storage for a hosted database whose storage keeps each commit`,
  )
}

/**
 * For a new connection, before anything else is sent on it: sets what can be set; throws
 * NotDurableError.
 */
export async function beginSession(client: pg.ClientBase, timeoutMs: number, durability: Durability): Promise<void> {
  const text = `${SESSION_SQL}; ${PIN_SYNCHRONOUS_COMMIT}; ${READ_CRASH_SAFETY}`
  const results = (await client.query(
    withQueryTimeout(text, timeoutMs),
  )) as unknown as pg.QueryResult<DurabilitySettings>[]
  if (durability === 'server') refuseUnsafeSettings(results.at(-1)?.rows[0])
}

/** For the start of a process: a server that is set up to forget commits was set up for something else. */
export async function refuseUnsafeServer(pool: pg.Pool): Promise<void> {
  refuseUnsafeSettings((await pool.query<DurabilitySettings>(READ_DEFAULT_SYNCHRONOUS_COMMIT)).rows[0])
}

export interface DurabilityWatch {
  /** Throws NotDurableError as long as the server would lose what it has committed. */
  requireDurable(): void
  stop(): void
}

/** Where the storage keeps commits, no setting of the server needs a watch. */
export const NO_DURABILITY_WATCH: DurabilityWatch = { requireDurable: () => {}, stop: () => {} }

/** A server that cannot be asked is not judged: what is asked of it fails anyway. */
export function watchDurability(pool: pg.Pool, timeoutMs: number): DurabilityWatch {
  let found: NotDurableError | undefined
  let isChecking = false
  const look = async () => {
    if (isChecking) return
    isChecking = true
    try {
      refuseUnsafeSettings(
        (await pool.query<DurabilitySettings>(withQueryTimeout(READ_CRASH_SAFETY, timeoutMs))).rows[0],
      )
      found = undefined
    } catch (error) {
      if (error instanceof NotDurableError) found = error
    } finally {
      isChecking = false
    }
  }
  const stop = environment.setRepeatingTimer(WATCH_MS, look)
  return {
    requireDurable() {
      if (found !== undefined) throw found
    },
    stop,
  }
}

function withQueryTimeout(text: string, timeoutMs: number): pg.QueryConfig {
  return { text, query_timeout: timeoutMs } as pg.QueryConfig
}

/** Connections on which a COMMIT has come with the warning that the standby may not have it. */
const warned = new WeakSet<pg.ClientBase>()

/** In whatever language the server speaks: the function of the server that warns has the same name since Postgres 9.1. */
export function trackCommitWarnings(client: pg.ClientBase): void {
  client.on('notice', ({ routine, message = '' }) => {
    if (routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')) warned.add(client)
  })
}

/**
 * Asked after the answer to a COMMIT: a COMMIT that came with such a warning is not durable. The warning arrives before the
 * answer, and the answer to the next COMMIT may have arrived too: from then on all answers on this connection are in doubt.
 */
export function findUnreplicatedCommit(client: pg.ClientBase): NotDurableError | undefined {
  if (!warned.has(client)) return undefined
  return new NotDurableError('the server gave up waiting for its standby: a commit may not be replicated')
}
