/**
 * Finds names that a reader from the field cannot look up: private words, past participles as
 * nouns, and names that two files export.
 */
import { basename } from 'node:path'

/** Private word → the field's term. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  apart: 'bisect',
  aside: 'quarantine',
  beside: 'during, with',
  behind: 'after',
  crew: 'workers',
  crowd: 'load',
  deeds: 'workload',
  disaster: 'crash fault',
  disasters: 'crash faults',
  door: 'load shedder',
  doubt: 'commit state unknown',
  fate: 'network fault',
  fates: 'network faults',
  heard: 'received',
  heed: 'handle',
  lookout: 'recovery scan',
  misfortune: 'crash fault',
  misfortunes: 'crash faults',
  nobody: 'unauthenticated, none',
  patience: 'deadline, timeout',
  patient: 'retry',
  prospect: 'capacity',
  somebody: 'caller, person',
  soon: 'maybe a promise',
  stranger: 'unknown caller, unknown player',
  strangers: 'unknown callers',
  tell: 'notify, return, render',
  tells: 'notifies, returns, renders',
  told: 'notified, notification',
  turnstile: 'semaphore',
  whoever: 'the caller',
  wish: 'request',
  wishes: 'requests',
}

const IRREGULAR_PARTICIPLES =
  /^(Asked|Became|Been|Came|Done|Found|Given|Gone|Heard|Held|Kept|Known|Left|Lost|Made|Meant|Paid|Said|Seen|Sent|Shown|Sold|Taken|Told|Won|Written)$/
const PARTICIPLE = /^[A-Z][a-z]+ed$/
/** Nouns that only look like participles. */
const NOUNS = ['Feed', 'Need', 'Seed', 'Speed']

export type NameRule = 'privateNames' | 'participles'

export interface NameFinding {
  readonly rule: NameRule
  readonly name: string
  readonly message: string
}

const DECLARATION = /\b(function\*?|const|let|class|interface|type)\s+([A-Za-z_$][\w$]*)/g
const EXPORT =
  /^export\s+(?:async\s+|abstract\s+)*(?:function\*?|const|let|class|interface|type)\s+([A-Za-z_$][\w$]*)/gm
const IS_TYPE = /^(class|interface|type)$/

export interface NamedText {
  readonly path: string
  readonly text: string
}

/** Each name counts once per file. */
export function namesThatArePrivate({ path, text }: NamedText): NameFinding[] {
  const declarations = [...codeOf(text).matchAll(DECLARATION)]
  const names = new Set([fileName(path), ...declarations.map(([, , name = '']) => name)])
  const types = new Set(declarations.flatMap(([, kind = '', name = '']) => (IS_TYPE.test(kind) ? [name] : [])))
  return [
    ...[...names].flatMap((name) => {
      const word = wordsOf(name).find((one) => Object.hasOwn(FIELD_WORDS, one))
      const message = `${path}: ${name}: the field's word for "${word}" is ${FIELD_WORDS[word ?? '']}`
      return word === undefined ? [] : [{ rule: 'privateNames' as const, name, message }]
    }),
    ...[...types].filter(isParticiple).map((name) => {
      return { rule: 'participles' as const, name, message: `${path}: ${name}: a past participle is no noun` }
    }),
  ]
}

/** The text without comments and strings, which may quote a declaration. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '')
}

function isParticiple(name: string): boolean {
  return !NOUNS.includes(name) && (IRREGULAR_PARTICIPLES.test(name) || PARTICIPLE.test(name))
}

function fileName(path: string): string {
  return basename(path).replace(/\..*$/, '')
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

/** Names that at least two files export, without re-exports. */
export function namesExportedTwice(files: readonly NamedText[]): string[] {
  const paths = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name = ''] of codeOf(text).matchAll(EXPORT)) paths.set(name, (paths.get(name) ?? new Set()).add(path))
  return [...paths].filter(([, those]) => those.size > 1).map(([name, those]) => `${name}: ${[...those].join(', ')}`)
}
