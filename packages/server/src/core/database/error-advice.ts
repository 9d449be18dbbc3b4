/** Adds the remedy to errors of the database, in the same words for all commands. */

import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import { errorText } from '@purser/runtime/errors/error-text'
import { findTlsAdvice, isBusy, isMovedAway, isOutage } from './database-errors.ts'
import { formatHostAndPort } from './postgres/postgres-url.ts'

/** By SQLSTATE (Postgres, Appendix A). */
const SQLSTATE_ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'check user and password in DATABASE_URL',
  '28000': "check the user in DATABASE_URL, and the server's pg_hba.conf",
  '3D000': 'create it, or name another one in DATABASE_URL',
  '42501':
    'grant the right to the role in DATABASE_URL (docs/guides/run-in-production.md, "The database"), or use the role that has it',
}

/** By the error code of the operating system. */
const SYSTEM_ERROR_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there; check that Postgres is running, and host and port in DATABASE_URL',
  ENOTFOUND: 'the host does not exist; check DATABASE_URL',
  EAI_AGAIN: 'the host name cannot be resolved now; check DNS',
  ENOENT: 'the socket does not exist; check that Postgres is running, and DATABASE_URL',
}
const NO_ANSWER_ADVICE =
  'the server does not answer as Postgres does; check host and port in DATABASE_URL, and firewalls'

/**
 * Returns `error` itself unless the database is unavailable, busy, moved away, or denies a right.
 */
export function withAdvice(error: unknown, url?: string): unknown {
  if (error instanceof UsageError || error instanceof UnavailableError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const advice = SQLSTATE_ADVICE[code]
  if (advice !== undefined) return new UsageError(`${errorText(error)}: ${advice}`, { cause: error })
  if (isMovedAway(error))
    return new UsageError(
      'this database was moved to another one and accepts nothing any more: set the DATABASE_URL of the new one',
      {
        cause: error,
      },
    )
  if (isBusy(error))
    return new UnavailableError(`the database did not finish in time (${errorText(error)}): run the command again`, {
      cause: error,
    })
  if (!isOutage(error)) return error
  const hint =
    findTlsAdvice(error) ??
    SYSTEM_ERROR_ADVICE[code] ??
    (/^[0-9A-Z]{5}$/.test(code) ? 'try again when it is ready' : NO_ANSWER_ADVICE)
  const where = url === undefined ? 'the database' : `the database at ${formatHostAndPort(url)}`
  return new UnavailableError(`${where} cannot be reached (${errorText(error)}): ${hint}`, { cause: error })
}
