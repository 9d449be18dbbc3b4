/** Classifies the errors of statements, by SQLSTATE, socket code or message. */
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import { type TlsFault, tlsFaultOf } from '@purser/runtime/errors/tls-error'

/**
 * - `outage`: every other call would fail too.
 * - `busy`: the same statement may succeed later.
 * - `data`: the statement may succeed with other data.
 * - `denied`: the role lacks a right.
 */
type ErrorClass = 'outage' | 'busy' | 'data' | 'denied'

/**
 * By SQLSTATE or its class, the first two characters (Postgres, Appendix A). A code that is not
 * listed is a defect of a statement.
 */
const ERROR_CLASSES: Readonly<Record<string, ErrorClass>> = {
  '08': 'outage', // the connection
  '28': 'outage', // authentication: the password was changed
  '3D': 'outage', // the database does not exist
  '53': 'outage', // out of disk, memory or connections
  '57': 'outage', // the server was stopped
  '58': 'outage', // an I/O error of the server
  '25006': 'outage', // read-only: a standby, or a disk that fills up
  '55P03': 'busy', // lock_timeout
  '57014': 'busy', // statement_timeout
  '40001': 'busy', // serialization failure
  '40P01': 'busy', // deadlock
  '25P03': 'busy', // idle_in_transaction_session_timeout
  '25P04': 'busy',
  '22': 'data', // a value that is invalid for its type
  '23': 'data', // a constraint is violated
  '54': 'data', // a size limit is exceeded
  P0: 'data', // raised by a trigger
  XX: 'data', // a corrupted page
  '42501': 'denied',
}
/**
 * Server functions that refuse new transactions before transaction ids run out. Their SQLSTATE is
 * that for a size limit (class 54).
 */
const XID_EXHAUSTION_ROUTINES = new Set(['GetNewTransactionId', 'GetNewMultiXactId'])
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
/** A check constraint that no row satisfies, on each table of a database that was moved away. */
export const MOVED_AWAY_CONSTRAINT = 'moved_away'
/** Our own code: a row has changed since it was read (purser.raise_stale_row). */
export const STALE_ROW_SQLSTATE = 'PU001'
/**
 * Unique violation, serialization failure, deadlock, stale row. A retry sees the other
 * transaction's changes.
 */
const CONFLICTS = new Set(['23505', '40001', '40P01', STALE_ROW_SQLSTATE])
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])

function readErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  return error.code === INTERNAL_ERROR ? findWorkerCode(error.message) : error.code
}

const INTERNAL_ERROR = 'XX000'
/**
 * While Citus copies rows to a worker, it reports the worker's error as an internal error. Only the
 * message remains, in which a constraint's name ends with a shard number. Messages therefore
 * identify the errors that are retried or count as busy.
 */
const WORKER_MESSAGES = [
  ['duplicate key value violates unique constraint', '23505'],
  ['deadlock detected', '40P01'],
  ['canceling statement due to lock timeout', LOCK_NOT_AVAILABLE],
  ['canceling statement due to statement timeout', QUERY_CANCELED],
  ['could not serialize access', '40001'],
] as const

function findWorkerCode(message: string): string {
  return WORKER_MESSAGES.find(([words]) => message.startsWith(words))?.[1] ?? INTERNAL_ERROR
}

/** The database is unsafe to use until an operator corrects it. */
export class UnusableDatabaseError extends UsageError {}

/** The database answers, but accepts no writes (write-probe.ts). */
export class ReadOnlyDatabaseError extends UnavailableError {
  constructor(why: string) {
    super(`the database takes no writes: ${why}`)
  }
}

/** The server could lose a commit (durability.ts). */
export class NotDurableError extends UnusableDatabaseError {}

/**
 * Postgres refuses each write, because the tables are in another database now
 * (relocation-state.ts). Each worker of Citus adds a suffix to the constraint's name.
 */
export function isMovedAway(error: unknown): boolean {
  return error instanceof Error && error.message.includes(`violates check constraint "${MOVED_AWAY_CONSTRAINT}`)
}

/** Undefined for a defect, and for errors that are not from the database. */
function classifyError(error: unknown): ErrorClass | undefined {
  if (error instanceof UnusableDatabaseError || error instanceof ReadOnlyDatabaseError || isMovedAway(error))
    return 'outage'
  if (findTlsAdvice(error) !== undefined) return 'outage'
  const code = readErrorCode(error)
  if (code === undefined)
    return error instanceof Error && /connection|timeout|terminated|read timeout/i.test(error.message)
      ? 'outage'
      : undefined
  if (SOCKET_ERRORS.has(code) || XID_EXHAUSTION_ROUTINES.has(readRoutine(error))) return 'outage'
  return code.length === SQLSTATE_LENGTH ? (ERROR_CLASSES[code] ?? ERROR_CLASSES[code.slice(0, 2)]) : undefined
}

const SQLSTATE_LENGTH = 5

/** The server function that failed. Its name is the same in each language of the server. */
function readRoutine(error: unknown): string {
  return error instanceof Error && 'routine' in error && typeof error.routine === 'string' ? error.routine : ''
}

export function isOutage(error: unknown): boolean {
  return classifyError(error) === 'outage'
}

/** A retry at once may succeed. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(readErrorCode(error) ?? '')
}

/** Another transaction held a row's lock for longer than lock_timeout. */
export function isLockTimeout(error: unknown): boolean {
  return readErrorCode(error) === LOCK_NOT_AVAILABLE
}

/** The transaction conflicted with another one and changed nothing. It may succeed later. */
export function isBusy(error: unknown): boolean {
  return classifyError(error) === 'busy'
}

/**
 * The database rejects only this data. Errors without a code are from the preparation of the data.
 */
export function isDataError(error: unknown): boolean {
  const errorClass = classifyError(error)
  return errorClass === 'data' || (errorClass === undefined && readErrorCode(error) === undefined)
}

export function isPermissionDenied(error: unknown): boolean {
  return classifyError(error) === 'denied'
}

const DUPLICATES = new Set(['42P06', '42P07', '42710', '42723'])

export function isDuplicateObject(error: unknown): boolean {
  return DUPLICATES.has(readErrorCode(error) ?? '')
}

export function isUnknownFunction(error: unknown): boolean {
  return readErrorCode(error) === '42883'
}

/** Advice for a failed TLS connection to Postgres. */
const TLS_ADVICE: Readonly<Record<TlsFault, string>> = {
  untrusted:
    'no known CA has signed its certificate: name the file of the CA with sslrootcert=…, or accept any certificate with sslmode=no-verify',
  expired: 'its certificate is not valid today: renew it, or set the clock',
  other_name:
    'its certificate is for another name: connect by a name that it has, or accept any certificate with sslmode=no-verify',
  other: 'client and server do not agree on TLS: compare the TLS settings of the server with the address',
}

/** Message of `pg`, which has no code for it. */
const NO_TLS = 'The server does not support SSL connections'

/** Cause and remedy; undefined for any other error. */
export function findTlsAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === NO_TLS)
    return 'the server has no TLS: turn it on there, or connect without it by sslmode=disable'
  const fault = tlsFaultOf(error)
  return fault && TLS_ADVICE[fault]
}
