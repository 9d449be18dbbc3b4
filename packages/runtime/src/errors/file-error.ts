/** Errors of the file system, with the remedy if a permission or room on the disk is missing. */
import { UnavailableError } from './cli-errors.ts'
import { errorText } from './error-text.ts'

const NO_RIGHT = 'give this user the right to it, or choose another place'

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EROFS: 'make its file system writable, or choose a place on another one',
}

export function fileErrorText(error: unknown): string {
  const remedy = error instanceof Error && 'code' in error ? REMEDIES[String(error.code)] : undefined
  return remedy === undefined ? errorText(error) : `${errorText(error)}; ${remedy}`
}

const DISK_FULL_REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'no file may be so large here (ulimit -f, or the file system)',
}

/** A full disk is neither a defect nor a usage error. Undefined for any other error. */
export function toDiskFullError(error: unknown, target = 'a file'): UnavailableError | undefined {
  const reason = error instanceof Error && 'code' in error ? DISK_FULL_REASONS[String(error.code)] : undefined
  if (reason === undefined) return undefined
  return new UnavailableError(`${target} cannot be written: ${reason}. Make room, and run it again`, { cause: error })
}
