/** Recognises a full disk, which is neither a defect nor a usage error. */
import { UnavailableError } from './cli-errors.ts'

const DISK_FULL_REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'no file may be so large here (ulimit -f, or the file system)',
}

/** Undefined for any other error. */
export function toDiskFullError(error: unknown, target = 'a file'): UnavailableError | undefined {
  const reason = error instanceof Error && 'code' in error ? DISK_FULL_REASONS[String(error.code)] : undefined
  if (reason === undefined) return undefined
  return new UnavailableError(`${target} cannot be written: ${reason}. Make room, and run it again`, { cause: error })
}
