/** The data folder holds keys, and a database with the partners' secrets in it: it is for nobody but its user. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../errors/cli-errors.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Rights of the group and of all others. */
const OTHERS_MODE = 0o077

/** The folder exists and cannot be made private without a word of its owner's. */
export class NotPrivateError extends UsageError {}

/** What we put into a data folder ourselves. */
const OWN_ENTRIES = /^(pglite|gateway(-second-wallet)?|partner-secret|(operator|platform|gateway)-api-key|in-use.*)$/

/**
 * Makes the folder, or takes the rights of others from one that holds nothing but ours; throws
 * NotPrivateError when it cannot.
 */
export function makePrivateFolder(path: string): void {
  if (!existsSync(path)) requireParent(resolve(path))
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  if (!isOpenToOthers(path)) return
  const foreignEntry = readdirSync(path).find((name) => !OWN_ENTRIES.test(name))
  if (foreignEntry !== undefined)
    throw new NotPrivateError(
      `others can enter the data folder ${path}, which also holds "${foreignEntry}": run chmod 700 on it, or set PURSER_DATA_DIR to a folder of its own, which will be made`,
    )
  try {
    chmodSync(path, FOLDER_MODE)
  } catch {
    throw new NotPrivateError(
      `others can enter the data folder ${path}, and its rights cannot be changed: set PURSER_DATA_DIR to a folder below it, which will be made`,
    )
  }
}

/** A recursive mkdir on a read-only file system fails with ENOENT, which does not say why. */
function requireParent(path: string): void {
  const parent = dirname(path)
  if (existsSync(parent)) accessSync(parent, constants.W_OK)
  else requireParent(parent)
}

/**
 * Throws the system's error, which names the path, when this user cannot read and write the folder,
 * or one of all the files in it: a start by root, as with sudo, leaves files that others cannot use.
 */
export function requireAccess(folder: string, scope: 'itself' | 'all'): void {
  const within = scope === 'all' ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  for (const name of within) accessSync(join(folder, name), constants.R_OK | constants.W_OK)
}

/** The content; undefined when there is none. Rights of others are taken away. */
export function readPrivateFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (isOpenToOthers(path)) chmodSync(path, FILE_MODE)
  return readFileSync(path, 'utf8').trim() || undefined
}

export function writePrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: FILE_MODE })
}

/** Windows has no such rights. */
function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS_MODE) !== 0
}
