/** Secrets in files: the files that NAME_FILE settings name, and files of generated secrets. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecretFault } from '@purser/protocol/values/secret-text'
import { environment } from '@purser/runtime/environment'
import { fileErrorText } from '@purser/runtime/errors/file-error'
import { makePrivateFolder, readPrivateFile, writePrivateFile } from '@purser/runtime/text/private-folder'

export function readSecretFile(name: string, path: string, problems: string[]): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '') return text
    problems.push(`${name}_FILE is empty: ${path}`)
  } catch (error) {
    problems.push(`${name}_FILE cannot be read: ${fileErrorText(error)}`)
  }
  return undefined
}

const SECRET_BYTES = 24

interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly path?: string
  readonly isNew: boolean
}

/**
 * A generated secret is stored in the data folder for the next start. An empty file counts as
 * absent.
 */
export function ensureSecret(dataDir: string, name: string, problems: string[]): StoredSecret {
  const value = environment.randomBytes(SECRET_BYTES).toString('base64url')
  if (dataDir.startsWith('memory://')) return { name, value, isNew: true }
  const path = join(dataDir, name.toLowerCase().replaceAll('_', '-'))
  try {
    makePrivateFolder(dataDir)
    const stored = readPrivateFile(path)
    const fault = stored === undefined ? undefined : findSecretFault(stored)
    if (fault !== undefined) problems.push(`${name}, saved in ${path}, ${fault}`)
    if (stored !== undefined) return { name, value: stored, path, isNew: false }
    writePrivateFile(path, `${value}\n`)
  } catch (error) {
    const problem = `generated keys cannot be saved in PURSER_DATA_DIR: ${fileErrorText(error)}`
    if (!problems.includes(problem)) problems.push(problem)
  }
  return { name, value, path, isNew: true }
}
