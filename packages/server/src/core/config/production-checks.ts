/**
 * Checks for unsafe settings (O-1). In production a server with such settings does not start; in
 * other environments it reports them.
 */
import { describeUnknownParameters } from '../database/postgres/postgres-url.ts'
import { SETTINGS, type Setting } from './settings.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Minimum length in production; `openssl rand -hex 32` makes 64 characters. */
export const MIN_SECRET_LENGTH = 32
/**
 * Minimum of different characters. One in a million random keys of 32 hexadecimal digits has fewer.
 */
const MIN_DIFFERENT = 8
/** Words only, like the examples in the docs (`a-long-random-text`). */
const WORDS = /^[a-z]+([-_. ][a-z]+)*$/
const PLACEHOLDER = /example|change.?me|testdemo|…|\.\.\./i
const HOW_TO_MAKE = 'make one with: openssl rand -hex 32'

export function findEnvironmentFaults(env: EnvironmentVariables): string[] {
  return [...findUnknownSettings(env), ...findDuplicateSettings(env)]
}

export function findUrlFaults(url: string | undefined): string[] {
  const unknown = url === undefined ? undefined : describeUnknownParameters(url)
  return unknown === undefined ? [] : [`DATABASE_URL ${unknown}`]
}

const secretNames = SETTINGS.filter((setting: Setting) => setting.secret).map(({ name }) => name)

export function isSecret(name: string): boolean {
  return secretNames.some((secret) => secret === name)
}

const knownNames: readonly string[] = [
  ...SETTINGS.map(({ name }) => name),
  ...secretNames.map((name) => `${name}_FILE`),
]
/** Variables that Kubernetes sets for a service with the name `purser`. */
const KUBERNETES_VARIABLE = /^PURSER_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP))?)(_[A-Z0-9_]+)?$/

function findUnknownSettings(env: EnvironmentVariables): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith('PURSER_') && !knownNames.includes(name))
  return names
    .filter((name) => !KUBERNETES_VARIABLE.test(name))
    .map((name) => `${name} is not a setting; did you mean ${findNearest(name)}?`)
}

function findNearest(name: string): string {
  const ours = knownNames.filter((candidate) => candidate.startsWith('PURSER_'))
  return ours.reduce((best, candidate) => (editDistance(name, candidate) < editDistance(name, best) ? candidate : best))
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? 0
}

function findDuplicateSettings(env: EnvironmentVariables): string[] {
  return secretNames
    .filter((name) => env[name]?.trim() && env[`${name}_FILE`])
    .map((name) => `${name} and ${name}_FILE are both set: unset one of them`)
}

/** One part of a list is one secret. */
export interface NamedSecret {
  /** Name in messages, such as "PARTNER_SECRET" or "part 2 of PARTNER_SECRET". */
  readonly title: string
  readonly value: string
}

/** Lists of several values, for rotation. */
const LIST_SETTINGS = ['PARTNER_SECRET', 'PURSER_ENCRYPTION_KEY']

export function splitNamedSecrets(name: string, text: string): NamedSecret[] {
  const parts = text.split(',').map((part) => part.trim())
  if (!LIST_SETTINGS.includes(name) || parts.length === 1) return [{ title: name, value: text }]
  return parts.map((value, i) => ({ title: `part ${i + 1} of ${name}, between its commas,`, value }))
}

/** Messages never show a secret. */
export function findWeaknesses(secrets: readonly NamedSecret[]): string[] {
  return [...secrets.flatMap(findWeakness), ...findReusedSecrets(secrets)]
}

function findWeakness({ title, value }: NamedSecret): string[] {
  if (value.length < MIN_SECRET_LENGTH)
    return [`${title} has ${value.length} characters, but needs at least ${MIN_SECRET_LENGTH}: ${HOW_TO_MAKE}`]
  const isRepeated = (value + value).indexOf(value, 1) < value.length
  if (WORDS.test(value) || PLACEHOLDER.test(value) || isRepeated || new Set(value).size < MIN_DIFFERENT)
    return [`${title} is an example or can be guessed: ${HOW_TO_MAKE}`]
  return []
}

function findReusedSecrets(secrets: readonly NamedSecret[]): string[] {
  return secrets.flatMap(({ title, value }, i) =>
    secrets
      .slice(0, i)
      .filter((earlier) => earlier.value === value && value !== '')
      .map((earlier) => `${title} is the same as ${earlier.title}: give each setting its own value`),
  )
}
