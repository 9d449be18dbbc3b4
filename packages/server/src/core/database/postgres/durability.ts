/**
 * Watch over the durability settings of the Postgres server, which can change at any time.
 *
 * Invariant: no call succeeds before its commit is durable (W-22), as far as these settings decide
 * it. They are checked on each new connection, and once per second.
 *
 * - synchronous_commit is set in each session, where no reload changes it.
 * - fsync and full_page_writes belong to the server. While one is off, no transaction begins.
 */

import { environment } from '@purser/runtime/environment'
import type pg from 'pg'
import { NotDurableError } from '../database-errors.ts'
import { SESSION_SQL } from './session-settings.ts'

/** Milliseconds between two checks of a server in use. */
const WATCH_MS = 1_000

/**
 * For one session (W-22). A value that is stricter than `on`, or waits for a standby in another
 * way, stays; `local` waits for no standby.
 */
const PIN_SYNCHRONOUS_COMMIT = `select set_config('synchronous_commit',
  case when current_setting('synchronous_commit') in ('off', 'local') then 'on' else current_setting('synchronous_commit') end, false)`
const READ_CRASH_SAFETY =
  "select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes"
/** The value of a session that does not set it. */
const READ_DEFAULT_SYNCHRONOUS_COMMIT =
  "select reset_val as synchronous_commit from pg_catalog.pg_settings where name = 'synchronous_commit'"

type DurabilitySettings = Record<string, string>

/**
 * The place that keeps a commit: the server, by fsync and full pages, or its storage. Some hosted
 * databases have both settings off, because their storage keeps each commit on several machines.
 */
export type Durability = 'server' | 'storage'

function refuseUnsafeSettings(look: DurabilitySettings | undefined): void {
  const off = Object.keys(look ?? {}).filter((name) => look?.[name] === 'off')
  if (off.length === 0) return
  const settings = off.map((name) => `${name}=off`).join(' and ')
  throw new NotDurableError(
    `the Postgres server has ${settings}, so an answered bet could be lost in a crash: turn it on, or set PURSER_DURABILITY=storage for a hosted database whose storage keeps each commit`,
  )
}

/** For a new connection, before any other statement. Throws NotDurableError. */
export async function beginSession(client: pg.ClientBase, timeoutMs: number, durability: Durability): Promise<void> {
  const text = `${SESSION_SQL}; ${PIN_SYNCHRONOUS_COMMIT}; ${READ_CRASH_SAFETY}`
  const results = (await client.query(
    withQueryTimeout(text, timeoutMs),
  )) as unknown as pg.QueryResult<DurabilitySettings>[]
  if (durability === 'server') refuseUnsafeSettings(results.at(-1)?.rows[0])
}

/** For the start. A server with an unsafe default was set up for another purpose. */
export async function refuseUnsafeServer(pool: pg.Pool): Promise<void> {
  refuseUnsafeSettings((await pool.query<DurabilitySettings>(READ_DEFAULT_SYNCHRONOUS_COMMIT)).rows[0])
}

export interface DurabilityWatch {
  /** Throws NotDurableError while the server could lose a commit. */
  requireDurable(): void
  stop(): void
}

/** The storage keeps commits, so no setting of the server needs a watch. */
export const NO_DURABILITY_WATCH: DurabilityWatch = { requireDurable: () => {}, stop: () => {} }

/** A failed check changes nothing, because other statements to that server fail anyway. */
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

/** Connections on which a COMMIT had the warning that the standby may not have it. */
const warned = new WeakSet<pg.ClientBase>()

/**
 * The server function that sends the warning has the same name since Postgres 9.1, in every
 * language.
 */
export function trackCommitWarnings(client: pg.ClientBase): void {
  client.on('notice', ({ routine, message = '' }) => {
    if (routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')) warned.add(client)
  })
}

/**
 * Called after the answer to a COMMIT, which is not durable if such a warning came first. The next
 * COMMIT may have been answered too, so all later answers of this connection are in doubt.
 */
export function findUnreplicatedCommit(client: pg.ClientBase): NotDurableError | undefined {
  if (!warned.has(client)) return undefined
  return new NotDurableError('the server gave up waiting for its standby: a commit may not be replicated')
}
