/**
 * Sessions of the console. A session belongs to a user (U-4) or to an API key (U-2). It has the
 * role of that user or key, and ends when that user or key does.
 *
 * The token is in a cookie that no script can read. Each request also needs the header
 * CONSOLE_HEADER, which protects against cross-site requests.
 */

import { environment } from '@purser/runtime/environment'
import { createLru } from '@purser/runtime/lru-cache'
import type { FastifyRequest } from 'fastify'
import { type Db, statement, type Tx } from '../../database/db.ts'
import type { AuthFailure, Principal, Role, SessionAuth } from '../../http/api/principal.ts'
import { hashCredential } from '../api-key.ts'
import type { ApiKeyCache } from '../api-key-cache.ts'
import type { ServerKind } from '../auth-settings.ts'
import type { VerifiedUser } from './console-user-store.ts'

/** Longest duration of a session in seconds; it covers a working day. */
export const SESSION_SECONDS = 12 * 3_600
/**
 * Our pages send it with each request. A form cannot send it, and a script of another origin only
 * with CORS, which we never allow.
 */
export const CONSOLE_HEADER = 'x-purser-console'
/** Our pages send it with automatic requests, which do not count as use of the session. */
export const UNATTENDED_HEADER = 'x-purser-unattended'
const TOKEN_BYTES = 32
const MINUTE_MS = 60_000
/** Sessions whose last use could not be written. */
const MAX_UNWRITTEN_USES = 1_000
const TOKEN = /^[\w-]{43}$/

export interface StartedConsoleSession {
  readonly token: string
  readonly caller: Principal
}

/** Writes the audit entry of a sign-in or sign-out, in the transaction of the change. */
export type SessionRecorder = (tx: Tx, caller: Principal) => Promise<void>

export interface ConsoleSessions extends SessionAuth {
  /** Undefined: the key does not exist or has ended. */
  begin(key: string, record?: SessionRecorder): Promise<StartedConsoleSession | undefined>
  /** Undefined: the verified password has been replaced, or the user has been removed. */
  beginForUser(user: VerifiedUser, record?: SessionRecorder): Promise<StartedConsoleSession | undefined>
  /** False: the request has no live session. `record` runs only if a session ends. */
  end(request: FastifyRequest, record?: (tx: Tx) => Promise<void>): Promise<boolean>
  cookie(request: FastifyRequest, token?: string): string
}

export function createConsoleSessions(
  server: Exclude<ServerKind, 'gateway'>,
  schema: 'purser' | 'platform',
  db: Db,
  keyCache: ApiKeyCache,
  idleMinutes: number,
): ConsoleSessions {
  const sql = createStatements(schema)
  const name = `purser_${server}`
  const tokenOf = ({ headers }: FastifyRequest) => readCookie(headers.cookie, name)
  const find = createCallerFinder(name, sql, db, keyCache, idleMinutes)
  return {
    async begin(key, record) {
      const caller = await keyCache.find(key)
      if (caller === undefined) return undefined
      const token = generateSessionToken()
      await db.transaction(async (tx) => {
        await tx.query(sql.begin, [hashCredential(token), hashCredential(key), SESSION_SECONDS])
        await record?.(tx, caller)
      })
      return { token, caller }
    },
    async beginForUser(user, record) {
      const [token, caller] = [generateSessionToken(), toCaller(user)]
      const values = [hashCredential(token), user.name, user.passwordNumber, SESSION_SECONDS]
      const isBegun = await db.transaction(async (tx) => {
        const begun = await tx.query(sql.beginFor, values)
        if (begun.length > 0) await record?.(tx, caller)
        return begun.length > 0
      })
      return isBegun ? { token, caller } : undefined
    },
    authenticate: (request, mode) =>
      find(request, mode !== 'again' && request.headers[UNATTENDED_HEADER] === undefined),
    async end(request, record) {
      const token = tokenOf(request)
      if (token === undefined) return false
      return db.transaction(async (tx) => {
        const isEnded = (await tx.query(sql.end, [hashCredential(token)])).length > 0
        if (isEnded) await record?.(tx)
        return isEnded
      })
    },
    cookie(request, token) {
      const age = token === undefined ? 0 : SESSION_SECONDS
      const secure = isHttpsRequest(request) ? '; Secure' : ''
      return `${name}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
    },
  }
}

type Statements = ReturnType<typeof createStatements>

/** `isUse`: the request counts as use of the session. */
function createCallerFinder(name: string, sql: Statements, db: Db, keyCache: ApiKeyCache, idleMinutes: number) {
  /** Times of uses that a read-only database could not store, so that no session ends early. */
  const unwritten = createLru<number>(MAX_UNWRITTEN_USES)
  const use = async (token: string) => {
    try {
      await db.transaction((tx) => tx.execute(sql.use, [hashCredential(token), idleMinutes]))
      unwritten.delete(token)
    } catch {
      unwritten.set(token, environment.monotonicNow())
    }
  }
  return async (request: FastifyRequest, isUse: boolean): Promise<Principal | AuthFailure> => {
    const token = readCookie(request.headers.cookie, name)
    if (token === undefined || !isFromConsolePage(request)) return 'missing'
    const [row] = await db.userQueries.query<SessionRow>(sql.read, [hashCredential(token), idleMinutes])
    const unwrittenMs = environment.monotonicNow() - (unwritten.get(token) ?? Number.NEGATIVE_INFINITY)
    if (row === undefined || (row.is_idle && unwrittenMs >= idleMinutes * MINUTE_MS)) return 'unknown'
    if (isUse && row.is_due && unwrittenMs >= MINUTE_MS) await use(token)
    const { key_hash, person, role, must_change: mustChange } = row
    const caller =
      key_hash !== null
        ? await keyCache.findHash(Buffer.from(key_hash), isUse)
        : person !== null && role !== null && toCaller({ name: person, role, mustChange: mustChange === true })
    return caller ? { ...caller, inBrowser: true } : 'unknown'
  }
}

interface SessionRow extends Record<string, unknown> {
  readonly key_hash: Uint8Array | null
  /** Null if the user's password is no longer the one of the sign-in. */
  readonly person: string | null
  readonly role: Role | null
  readonly must_change: boolean | null
  /** A use must be written: a minute, or a quarter of a shorter idle time, has passed. */
  readonly is_due: boolean
  /** The last stored use is older than the idle time. */
  readonly is_idle: boolean
}

function generateSessionToken(): string {
  return environment.randomBytes(TOKEN_BYTES).toString('base64url')
}

function toCaller({ name, role, mustChange }: Pick<VerifiedUser, 'name' | 'role' | 'mustChange'>): Principal {
  return { keyName: name, keyHash: '', role, person: name, ...(mustChange && { mustChange }) }
}

/**
 * True if a page of the console sent the request. A browser reports the origin of a request; other
 * clients have no cookie of the console.
 */
export function isFromConsolePage({ headers }: FastifyRequest): boolean {
  const { origin, host, [CONSOLE_HEADER]: ours, 'sec-fetch-site': site } = headers
  if (ours !== '1') return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`
}

/**
 * After a proxy only its header shows TLS. A forged header can only make the caller's own cookie
 * stricter.
 */
function isHttpsRequest({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https'
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split('; ')
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
  const [value] = values
  return values.length === 1 && value !== undefined && TOKEN.test(value) ? value : undefined
}

/** Time after which a use is written again; $2 is the idle time in minutes. */
const DUE = "least(interval '1 minute', $2::int * interval '15 seconds')"

function createStatements(schema: 'purser' | 'platform') {
  return {
    begin: statement(
      `${schema}_begin_console_session`,
      `insert into ${schema}.console_session (hash, key_hash, made_at, ends_at)
       values ($1::bytea, $2::bytea, statement_timestamp(), statement_timestamp() + $3::int * interval '1 second')`,
    ),
    beginFor: statement(
      `${schema}_begin_console_session_for`,
      `with begun as (
         insert into ${schema}.console_session (hash, person, password_number, made_at, ends_at)
         select $1::bytea, name, password_number, statement_timestamp(), statement_timestamp() + $4::int * interval '1 second'
         from ${schema}.console_user where name = $2::text and password_number = $3::int and ends_at > statement_timestamp() returning person
       )
       update ${schema}.console_user p set used_at = statement_timestamp() from begun b where p.name = b.person returning p.name`,
    ),
    read: statement(
      `${schema}_read_console_session`,
      `select s.key_hash, p.name as person, p.role, p.must_change,
         s.used_at < statement_timestamp() - ${DUE} as is_due,
         s.used_at <= statement_timestamp() - $2::int * interval '1 minute' as is_idle
       from ${schema}.console_session s
       left join ${schema}.console_user p on p.name = s.person and p.password_number = s.password_number and p.ends_at > statement_timestamp()
       where s.hash = $1::bytea and s.ends_at > statement_timestamp()`,
    ),
    use: statement(
      `${schema}_use_console_session`,
      `with used as (
         update ${schema}.console_session set used_at = statement_timestamp()
         where hash = $1::bytea and used_at < statement_timestamp() - ${DUE} returning person
       )
       update ${schema}.console_user p set used_at = statement_timestamp() from used u where p.name = u.person`,
    ),
    end: statement(
      `${schema}_end_console_session`,
      `update ${schema}.console_session set ends_at = statement_timestamp() where hash = $1::bytea and ends_at > statement_timestamp() returning hash`,
    ),
  }
}
