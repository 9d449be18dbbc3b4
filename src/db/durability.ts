/**
 * Nothing is answered yes before it is durable, as far as that lies with the server. Its settings are looked at on each new
 * connection, and once a second: they can be changed and reloaded under a running process.
 *
 * synchronous_commit is pinned: it is set for the session, where no reload changes it. fsync and full_page_writes are the
 * server's alone; while one of them is off, nothing is begun.
 */
import type pg from 'pg'
import { world } from '../runtime/world.ts'
import { NotDurable } from './errors.ts'
import { SESSION_SQL } from './session.ts'

/** Milliseconds between two looks at a server in use. */
const WATCH_MS = 1_000

/** For one session (W-22). What is stricter than `on`, or waits for a standby in another way, stays; `local` does not wait for one. */
const PIN = `select set_config('synchronous_commit',
  case when current_setting('synchronous_commit') in ('off', 'local') then 'on' else current_setting('synchronous_commit') end, false)`
const LOOK = "select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes"
/** As a session has it that does not pin it. */
const LOOK_AT_START =
  "select reset_val as synchronous_commit from pg_catalog.pg_settings where name = 'synchronous_commit'"

type Look = Record<string, string>

/**
 * What keeps a commit: the server, by fsync and full pages, or the storage below it. Some hosted databases have
 * both settings off, because their storage has each commit on several machines before the server answers.
 */
export type Durability = 'server' | 'storage'

/** Throws NotDurable when one of the settings is off. */
function refuseOff(look: Look | undefined): void {
  const off = Object.keys(look ?? {}).filter((name) => look?.[name] === 'off')
  if (off.length === 0) return
  const settings = off.map((name) => `${name}=off`).join(' and ')
  throw new NotDurable(
    `the Postgres server has ${settings}, so an answered bet could be lost in a crash: turn it on, or set PURSER_DURABILITY=storage for a hosted database whose storage keeps each commit`,
  )
}

/** For a new connection, before anything else is sent on it: sets what can be set; throws NotDurable. */
export async function beginSession(client: pg.ClientBase, timeoutMs: number, durability: Durability): Promise<void> {
  const text = `${SESSION_SQL}; ${PIN}; ${LOOK}`
  const results = (await client.query(withTime(text, timeoutMs))) as unknown as pg.QueryResult<Look>[]
  if (durability === 'server') refuseOff(results.at(-1)?.rows[0])
}

/** For the start of a process: a server that is set up to forget commits was set up for something else. */
export async function refuseUnsafeServer(pool: pg.Pool): Promise<void> {
  refuseOff((await pool.query<Look>(LOOK_AT_START)).rows[0])
}

export interface Watch {
  /** Throws NotDurable as long as the server would lose what it has committed. */
  requireDurable(): void
  stop(): void
}

/** Where the storage keeps commits, no setting of the server needs a watch. */
export const UNWATCHED: Watch = { requireDurable: () => {}, stop: () => {} }

/** A server that cannot be asked is not judged: what is asked of it fails anyway. */
export function watchDurability(pool: pg.Pool, timeoutMs: number): Watch {
  let found: NotDurable | undefined
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      refuseOff((await pool.query<Look>(withTime(LOOK, timeoutMs))).rows[0])
      found = undefined
    } catch (error) {
      if (error instanceof NotDurable) found = error
    } finally {
      isLooking = false
    }
  }
  const stop = world.every(WATCH_MS, look)
  return {
    requireDurable() {
      if (found !== undefined) throw found
    },
    stop,
  }
}

function withTime(text: string, timeoutMs: number): pg.QueryConfig {
  return { text, query_timeout: timeoutMs } as pg.QueryConfig
}

/** Connections on which a COMMIT has come with the warning that the standby may not have it. */
const warned = new WeakSet<pg.ClientBase>()

/** In whatever language the server speaks: the function of the server that warns has the same name since Postgres 9.1. */
export function heedWarnings(client: pg.ClientBase): void {
  client.on('notice', ({ routine, message = '' }) => {
    if (routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')) warned.add(client)
  })
}

/**
 * Asked after the answer to a COMMIT: a COMMIT that came with such a warning is not durable. The warning arrives before the
 * answer, and the answer to the next COMMIT may have arrived too: from then on all answers on this connection are in doubt.
 */
export function doubtOf(client: pg.ClientBase): NotDurable | undefined {
  if (!warned.has(client)) return undefined
  return new NotDurable('the server gave up waiting for its standby: a commit may not be replicated')
}
