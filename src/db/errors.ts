/** What a failed statement means: the server is down, the call met another one, or it is our bug. By SQLSTATE (Postgres, Appendix A). */
import { WrongUse } from '../runtime/wrong-use.ts'

/** Connection, resources, shutdown, system. */
const OUTAGE_CLASSES = new Set(['08', '53', '57', '58'])
const QUERY_CANCELED = '57014' // statement time-out: the server works, this statement took too long
const LOCK_NOT_AVAILABLE = '55P03'
/** On each table of a database that was moved away: a constraint that no row fulfils. */
export const CLOSED = 'moved_away'
/** Our own, raised by purser.moved_on: a row has moved on since it was read. */
export const MOVED_ON = 'PU001'
/** Unique violation, serialization failure, deadlock, a row that has moved on: the same call, judged again, sees what the other one did. */
const CONFLICTS = new Set(['23505', '40001', '40P01', MOVED_ON])
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

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  return error.code === UNNAMED ? namedByWorker(error.message) : error.code
}

const UNNAMED = 'XX000'
/**
 * Citus gives what a worker said while rows were copied to it as an internal error: the words are the worker's, the code is lost, and a
 * constraint has the number of its shard behind its name. What the wallet tries again, or calls busy, is known by the words then.
 */
const SAID_BY_WORKERS = [
  ['duplicate key value violates unique constraint', '23505'],
  ['deadlock detected', '40P01'],
  ['canceling statement due to lock timeout', LOCK_NOT_AVAILABLE],
  ['canceling statement due to statement timeout', QUERY_CANCELED],
  ['could not serialize access', '40001'],
] as const

function namedByWorker(message: string): string {
  return SAID_BY_WORKERS.find(([words]) => message.startsWith(words))?.[1] ?? UNNAMED
}

/** The database is not as it must be: nothing may be asked of it until that is mended. */
export class Unusable extends WrongUse {}

/** What the server has committed, or would commit, could be lost (durability.ts). */
export class NotDurable extends Unusable {}

/** The wallet's tables are in another database now (moved.ts): Postgres refuses to write here. Each worker names its own part of a constraint. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message.includes(`violates check constraint "${CLOSED}`)
}

/** The database cannot be worked with: every other call would fail too. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unusable || isClosed(error)) return true
  const code = codeOf(error)
  if (code === undefined)
    return error instanceof Error && /connection|timeout|terminated|read timeout/i.test(error.message)
  return (
    SOCKET_ERRORS.has(code) || (code !== QUERY_CANCELED && code.length === 5 && OUTAGE_CLASSES.has(code.slice(0, 2)))
  )
}

/** Worth one more try at once. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? '')
}

/** Somebody else held a row's lock for longer than we wait. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE
}

/** The server ended a transaction in which we said nothing for too long: this process, or its machine, had no time. */
const OUT_OF_PATIENCE = ['25P03', '25P04']
/** Somebody else's lock or change stood in the way, or other work did: a time-out, a serialization failure, a deadlock. */
const BUSY = new Set([LOCK_NOT_AVAILABLE, QUERY_CANCELED, '40001', '40P01', ...OUT_OF_PATIENCE])

/** The transaction met another one and has left nothing behind; the same may go through a little later. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(codeOf(error) ?? '')
}

/** Data exception, broken constraint, too much for one row, raised by a trigger, a broken page. */
const OF_DATA_CLASSES = new Set(['22', '23', '54', 'P0', 'XX'])

/** This very data is refused; other data may be taken. What is thrown by ourselves while data is made ready counts too. */
export function isOfData(error: unknown): boolean {
  if (isOutage(error) || isBusy(error)) return false
  const code = codeOf(error)
  return code === undefined || OF_DATA_CLASSES.has(code.slice(0, 2))
}

/** The role has no right to do this. */
export function isDenied(error: unknown): boolean {
  return codeOf(error) === '42501'
}

/** A function is called that is not there. */
export function isUnknownFunction(error: unknown): boolean {
  return codeOf(error) === '42883'
}
