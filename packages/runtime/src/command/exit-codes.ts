/** Converts an error into the exit code and the message that every command uses. */

import { UnavailableError, UsageError } from '../errors/cli-errors.ts'
import { fileErrorText, toDiskFullError } from '../errors/file-error.ts'
import { printableLines } from '../text/printable-text.ts'

/** `bug` is EX_SOFTWARE of sysexits.h. */
export const EXIT_CODES = { findings: 1, wrongUse: 2, unreachable: 3, bug: 70, interrupted: 130 } as const

export interface ExitStatus {
  readonly code: number
  /** Undefined when the error has been printed already. */
  readonly text?: string
}

/** Adds advice to an error of a part that only the caller knows, such as a database. */
export type ErrorAdvice = (error: unknown) => unknown

/** `program`: the name that users type, with which the text begins. */
export function toExitStatus(failure: unknown, program: string, advise: ErrorAdvice = (error) => error): ExitStatus {
  if (isUsageHelp(failure)) return { code: failure.exitCode === 0 ? 0 : EXIT_CODES.wrongUse }
  const error = advise(explainListenError(failure) ?? toDiskFullError(failure) ?? explainFileError(failure) ?? failure)
  if (error instanceof UsageError) return { code: EXIT_CODES.wrongUse, text: `${program}: ${error.message}` }
  if (error instanceof UnavailableError) return { code: EXIT_CODES.unreachable, text: `${program}: ${error.message}` }
  return { code: EXIT_CODES.bug, text: formatDefect(error, program) }
}

/** Commander has printed its errors, and help, when it throws. */
function isUsageHelp(failure: unknown): failure is Error & { readonly exitCode: number } {
  return failure instanceof Error && 'code' in failure && `${failure.code}`.startsWith('commander.')
}

export function reportFailure(failure: unknown, program: string, advise?: ErrorAdvice): void {
  const { code, text } = toExitStatus(failure, program, advise)
  if (text !== undefined) process.stderr.write(`${printableLines(text)}\n`)
  process.exitCode = code
}

/**
 * An unhandled error is a defect, except for a full disk. Node would exit with 1, which means
 * findings.
 */
export function exitOnDefects(program: string): void {
  process.on('uncaughtException', (error) => {
    const full = toDiskFullError(error)
    const text = full === undefined ? formatDefect(error, program) : `${program}: ${full.message}`
    process.stderr.write(`${printableLines(text)}\n`)
    process.exit(full === undefined ? EXIT_CODES.bug : EXIT_CODES.unreachable)
  })
}

interface SystemError extends Error {
  readonly syscall?: string
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly path?: string
  readonly hostname?: string
}

/** Port in Node's error for a socket file, such as the lock of a data folder. */
const NO_PORT = -1

/**
 * Errors of HOST and PORT. An unknown host of a database is explained where the database is opened.
 */
function explainListenError(error: unknown): UsageError | undefined {
  if (!(error instanceof Error)) return undefined
  const { syscall, code, address, port, hostname } = error as SystemError
  if (syscall === 'getaddrinfo')
    return new UsageError(
      `HOST=${hostname} is not an address to listen on, as no such host exists: use an address of this machine`,
    )
  /** The primary process binds the port of a worker (`bind`). */
  if (syscall !== 'listen' && syscall !== 'bind') return undefined
  if (port === NO_PORT) return new UsageError(`${address} cannot be used: ${fileErrorText(error)}`, { cause: error })
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${address} is in use: stop the program that uses it, or choose another port (PORT=…)`,
    EACCES: `this user may not open port ${port}: choose one above 1023 (PORT=…)`,
    EADDRNOTAVAIL: `HOST=${address} is not an address of this machine: use 127.0.0.1 for this machine only, or 0.0.0.0 for all of its addresses`,
  }
  return new UsageError(`${advice[code ?? ''] ?? 'cannot listen'} (${error.message})`, { cause: error })
}

const FILE_CALLS = ['open', 'mkdir', 'scandir', 'stat', 'lstat', 'chmod', 'access']

/** Errors of a file or folder from the command line. Files of our own are opened earlier. */
function explainFileError(error: unknown): UsageError | undefined {
  if (!(error instanceof Error)) return undefined
  const { syscall = '', path } = error as SystemError
  if (path === undefined || !FILE_CALLS.includes(syscall)) return undefined
  return new UsageError(`${path} cannot be used: ${fileErrorText(error)}`, { cause: error })
}

function formatDefect(error: unknown, program: string): string {
  const lines = error instanceof Error ? (error.stack ?? error.message) : `not an error, but ${JSON.stringify(error)}`
  return `${program}: a defect of this program; please report it with these lines:\n${lines}`
}
