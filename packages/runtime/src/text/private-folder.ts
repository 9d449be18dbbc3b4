/**
 * Data folder that only its user can read. It holds keys and a database with the partners' secrets.
 */
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
/** Rights of the group and of other users. */
const OTHERS_MODE = 0o077

/** Only the owner of the folder can decide to make it private. */
export class NotPrivateError extends UsageError {}

/** Entries that Purser creates in a data folder. */
const OWN_ENTRIES = /^(pglite|gateway(-second-wallet)?|partner-secret|(operator|platform|gateway)-api-key|in-use.*)$/

/**
 * Creates the folder, or removes the rights of others if it holds only our entries. Throws
 * NotPrivateError otherwise.
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

/** A recursive mkdir on a read-only file system fails with ENOENT, which hides the cause. */
function requireParent(path: string): void {
  const parent = dirname(path)
  if (existsSync(parent)) accessSync(parent, constants.W_OK)
  else requireParent(parent)
}

/**
 * Throws the system's error, with the path, when this user cannot read and write the folder or a
 * file in it. A start by root, as with sudo, leaves such files.
 */
export function requireAccess(folder: string, scope: 'itself' | 'all'): void {
  const within = scope === 'all' ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  for (const name of within) accessSync(join(folder, name), constants.R_OK | constants.W_OK)
}

/** Undefined when the file is absent or empty. Removes the rights of others. */
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
