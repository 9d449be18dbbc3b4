/** A disk that takes no more: nothing of ours is broken, and nothing that was asked for is wrong. */
import { Unreachable } from './wrong-use.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'no file may be so large here (ulimit -f, or the file system)',
}

/** What a person is told about it; undefined of any other error. */
export function fullDisk(error: unknown, what = 'a file'): Unreachable | undefined {
  const why = error instanceof Error && 'code' in error ? WHY[String(error.code)] : undefined
  if (why === undefined) return undefined
  return new Unreachable(`${what} cannot be written: ${why}. Make room, and run it again`, { cause: error })
}
