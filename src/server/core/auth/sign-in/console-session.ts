/**
 * Who is signed in to the console: a session acts for a person (U-4) or for the key that it was begun with (U-2), has the role, and ends with them. The token is in a
 * cookie that no script can read; a request that changes or reads something must also carry a header of ours, which no page of another origin can send.
 */
import type { FastifyRequest } from 'fastify'
import { environment } from '../../../../runtime/environment.ts'
import { createLru } from '../../../../runtime/lru-cache.ts'
import { type Db, statement, type Tx } from '../../database/db.ts'
import type { AuthFailure, Principal, Role, SessionAuth } from '../../http/api/principal.ts'
import { hashCredential } from '../api-key.ts'
import type { ApiKeyCache } from '../api-key-cache.ts'
import type { ServerKind } from '../auth-settings.ts'
import type { VerifiedUser } from './console-user-store.ts'

/** Seconds: a day's work. */
export const SESSION_SECONDS = 12 * 3_600
/** Sent by our pages with every request. A form cannot send it, and a script elsewhere only if we allowed it by CORS, which we never do. */
export const CONSOLE_HEADER = 'x-purser-console'
/** Sent by our pages with what they ask while nobody uses the keyboard or the mouse: it is no use. */
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

/** Writes the action of a sign-in or sign-out, in the transaction of the change. */
export type SessionRecorder = (tx: Tx, caller: Principal) => Promise<void>

export interface ConsoleSessions extends SessionAuth {
  /** Undefined when no live key is this one. */
  begin(key: string, record?: SessionRecorder): Promise<StartedConsoleSession | undefined>
  /** Undefined when the password that was right has been replaced since, or the person has been ended. */
  beginForUser(user: VerifiedUser, record?: SessionRecorder): Promise<StartedConsoleSession | undefined>
  /** False when the request shows no live session. `record` is called when a session was ended. */
  end(request: FastifyRequest, record?: (tx: Tx) => Promise<void>): Promise<boolean>
  /** As a Set-Cookie header; without a token it takes the cookie away. */
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

/** Finds the caller whose session a request shows. `isUse`: the request is a use of the session. */
function createCallerFinder(name: string, sql: Statements, db: Db, keyCache: ApiKeyCache, idleMinutes: number) {
  /** Times of uses that a database without writes did not take: it keeps no reader out. */
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
    const [row] = await db.people.query<SessionRow>(sql.read, [hashCredential(token), idleMinutes])
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
  /** Whose password is still the one that the session was begun with. */
  readonly person: string | null
  readonly role: Role | null
  readonly must_change: boolean | null
  /** The last known use is a minute ago, or a quarter of the idle time if that is less. */
  readonly is_due: boolean
  /** The last use that is known is longer ago than the idle time. */
  readonly is_idle: boolean
}

function generateSessionToken(): string {
  return environment.randomBytes(TOKEN_BYTES).toString('base64url')
}

function toCaller({ name, role, mustChange }: Pick<VerifiedUser, 'name' | 'role' | 'mustChange'>): Principal {
  return { keyName: name, keyHash: '', role, person: name, ...(mustChange && { mustChange }) }
}

/** A browser says where a request comes from; what is no browser says nothing, and has no cookie of ours either. */
export function isFromConsolePage({ headers }: FastifyRequest): boolean {
  const { origin, host, [CONSOLE_HEADER]: ours, 'sec-fetch-site': site } = headers
  if (ours !== '1') return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`
}

/** Behind a proxy only its header knows. Who makes it up makes the cookie stricter, for himself. */
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
