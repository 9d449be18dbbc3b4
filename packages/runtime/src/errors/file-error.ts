/** Text of a file system error, with the remedy if a permission is missing. */
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
