/** The meaning of a failed statement: an outage, something busy, the data of a call, or a defect. */
import { UnavailableError, UsageError } from '../../../runtime/errors/cli-errors.ts'
import { findTlsAdvice } from './postgres/tls-errors.ts'

/** `outage`: every other call would meet it too. `busy`: later it may go through. `data`: other data may be taken. */
type ErrorClass = 'outage' | 'busy' | 'data' | 'denied'

/** By SQLSTATE, else by its class (Postgres, Appendix A). A code that is not listed is a defect of a statement. */
const ERROR_CLASSES: Readonly<Record<string, ErrorClass>> = {
  '08': 'outage', // the connection
  '28': 'outage', // the sign-in: its password was changed
  '3D': 'outage', // the database is gone
  '53': 'outage', // no room on the disk, in memory, for a connection
  '57': 'outage', // the server was stopped
  '58': 'outage', // the server's files
  '25006': 'outage', // nothing may be written: a standby, or a disk that fills up
  '55P03': 'busy', // a lock is held for longer than we wait
  '57014': 'busy', // the time of a statement is over
  '40001': 'busy', // serialization failure
  '40P01': 'busy', // deadlock
  '25P03': 'busy', // this process was silent within a transaction for too long
  '25P04': 'busy',
  '22': 'data', // not a value of its type
  '23': 'data', // a constraint
  '54': 'data', // too large
  P0: 'data', // raised by a trigger
  XX: 'data', // a broken page
  '42501': 'denied',
}
/** Functions of Postgres that refuse to begin a transaction before numbers of transactions run out, as "too large". */
const XID_EXHAUSTION_ROUTINES = new Set(['GetNewTransactionId', 'GetNewMultiXactId'])
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
/** On each table of a database that was moved away: a constraint that no row fulfils. */
export const MOVED_AWAY_CONSTRAINT = 'moved_away'
/** Our own, raised by purser.raise_stale_row: a row has moved on since it was read. */
export const STALE_ROW_SQLSTATE = 'PU001'
/** Unique violation, serialization failure, deadlock, a row that has moved on: the same call, judged again, sees what the other one did. */
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
 * Citus gives what a worker said while rows were copied to it as an internal error: the words are the worker's, the code is lost, and a
 * constraint has the number of its shard behind its name. What the wallet tries again, or calls busy, is known by the words then.
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

/** The database is not as it must be: nothing may be asked of it until that is mended. */
export class UnusableDatabaseError extends UsageError {}

/** The database answers, and takes no writes (write-probe.ts). */
export class ReadOnlyDatabaseError extends UnavailableError {
  constructor(why: string) {
    super(`the database takes no writes: ${why}`)
  }
}

/** What the server has committed, or would commit, could be lost (durability.ts). */
export class NotDurableError extends UnusableDatabaseError {}

/**
 * The wallet's tables are in another database now (relocation-state.ts): Postgres refuses to write
 * here. Each worker names its own part of a constraint.
 */
export function isMovedAway(error: unknown): boolean {
  return error instanceof Error && error.message.includes(`violates check constraint "${MOVED_AWAY_CONSTRAINT}`)
}

/** The one place that decides. Undefined for what the database did not say, and for a defect. */
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

/** The function of the server that failed. Its name is the same in whatever language the server speaks. */
function readRoutine(error: unknown): string {
  return error instanceof Error && 'routine' in error && typeof error.routine === 'string' ? error.routine : ''
}

/** The database cannot be worked with: every other call would fail too. */
export function isOutage(error: unknown): boolean {
  return classifyError(error) === 'outage'
}

/** Worth one more try at once. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(readErrorCode(error) ?? '')
}

/** Somebody else held a row's lock for longer than we wait. */
export function isLockTimeout(error: unknown): boolean {
  return readErrorCode(error) === LOCK_NOT_AVAILABLE
}

/** The transaction met another one and has left nothing behind; the same may go through a little later. */
export function isBusy(error: unknown): boolean {
  return classifyError(error) === 'busy'
}

/** This very data is refused; other data may be taken. An error without a code comes from making data ready. */
export function isDataError(error: unknown): boolean {
  const errorClass = classifyError(error)
  return errorClass === 'data' || (errorClass === undefined && readErrorCode(error) === undefined)
}

/** The role has no right to do this. */
export function isPermissionDenied(error: unknown): boolean {
  return classifyError(error) === 'denied'
}

const DUPLICATES = new Set(['42P06', '42P07', '42710', '42723'])

/** A schema, table, type or function is to be made that is there already. */
export function isDuplicateObject(error: unknown): boolean {
  return DUPLICATES.has(readErrorCode(error) ?? '')
}

/** A function is called that is not there. */
export function isUnknownFunction(error: unknown): boolean {
  return readErrorCode(error) === '42883'
}
