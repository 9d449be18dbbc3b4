/**
 * Stores inputs of the fuzzer as files: inputs with findings, and good starting points. A part of
 * an input is stored as text if it is UTF-8, else in base64.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The input of a target: named parts of bytes. */
export type Parts = Readonly<Record<string, Buffer>>

/** npm runs its scripts in the root. */
const FOLDER = 'packages/simulator/test/fuzz/corpus'

type StoredInput = Readonly<Record<string, string | { readonly base64: string }>>

export function textParts(texts: Readonly<Record<string, string>>): Parts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
}

export function readInput(path: string): Parts {
  const kept = JSON.parse(readFileSync(path, 'utf8')) as StoredInput
  const bytesOf = (part: StoredInput[string]) =>
    typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.base64, 'base64')
  return Object.fromEntries(Object.entries(kept).map(([name, part]) => [name, bytesOf(part)]))
}

export function keepInput(target: string, parts: Parts, folder = FOLDER): string {
  const kept = Object.fromEntries(
    Object.entries(parts).map(([name, bytes]) => [
      name,
      isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') },
    ]),
  )
  const text = `${JSON.stringify(kept, null, 2)}\n`
  const name = createHash('sha256').update(text).digest('hex').slice(0, 12)
  mkdirSync(join(folder, target), { recursive: true })
  const path = join(folder, target, `${name}.json`)
  writeFileSync(path, text)
  return path
}

export interface CorpusFile {
  readonly target: string
  readonly path: string
}

export function corpusFiles(target: string): CorpusFile[] {
  const folder = join(FOLDER, target)
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.sort().map((name) => ({ target, path: join(folder, name) }))
  } catch {
    return [] // the target has no file yet
  }
}
