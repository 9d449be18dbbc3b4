/** What is left to chance in an environment (O-1): refused in production, said elsewhere. */
import { unknownParameters } from '../db/postgres-url.ts'
import { SETTINGS, type Setting } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Characters of a secret or key in production; `openssl rand -hex 32` makes 64. */
export const MIN_SECRET_LENGTH = 32
/** Different characters; 32 random hexadecimal digits have fewer once in a million times. */
const MIN_DIFFERENT = 8
/** Words, like those of every example: ours are `a-long-random-text` and the like. */
const WORDS = /^[a-z]+([-_. ][a-z]+)*$/
const PLACEHOLDER = /example|change.?me|testdemo|…|\.\.\./i
const HOW_TO_MAKE = 'make one with: openssl rand -hex 32'

/** A setting that does not exist, or that is given twice. */
export function doubtsOf(env: Environment): string[] {
  return [...misspelt(env), ...givenTwice(env)]
}

export function doubtsOfUrl(url: string | undefined): string[] {
  const unknown = url === undefined ? undefined : unknownParameters(url)
  return unknown === undefined ? [] : [`DATABASE_URL ${unknown}`]
}

const secretNames = SETTINGS.filter((setting: Setting) => setting.secret).map(({ name }) => name)

export function isSecret(name: string): boolean {
  return secretNames.some((secret) => secret === name)
}

const known: readonly string[] = [...SETTINGS.map(({ name }) => name), ...secretNames.map((name) => `${name}_FILE`)]
/** What Kubernetes sets by itself beside a service of the name `purser`. */
const OF_KUBERNETES = /^PURSER_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP))?)(_[A-Z0-9_]+)?$/

function misspelt(env: Environment): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith('PURSER_') && !known.includes(name))
  return names
    .filter((name) => !OF_KUBERNETES.test(name))
    .map((name) => `${name} is no setting; did you mean ${nearest(name)}?`)
}

function nearest(name: string): string {
  const ours = known.filter((one) => one.startsWith('PURSER_'))
  return ours.reduce((best, one) => (distance(name, one) < distance(name, best) ? one : best))
}

/** Letters to be put in, taken out or replaced (Levenshtein). */
function distance(a: string, b: string): number {
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

function givenTwice(env: Environment): string[] {
  return secretNames
    .filter((name) => env[name]?.trim() && env[`${name}_FILE`])
    .map((name) => `${name} and ${name}_FILE are both set: unset one of them`)
}

/** A secret or key as it is used: each part of a list is one. */
export interface Secret {
  /** As a person knows it: "PARTNER_SECRET", "part 2 of PARTNER_SECRET". */
  readonly title: string
  readonly value: string
}

/** Settings that can hold several, while they rotate. */
const LISTS = ['PARTNER_SECRET', 'PURSER_ENCRYPTION_KEY']

export function secretsIn(name: string, text: string): Secret[] {
  const parts = text.split(',').map((part) => part.trim())
  if (!LISTS.includes(name) || parts.length === 1) return [{ title: name, value: text }]
  return parts.map((value, i) => ({ title: `part ${i + 1} of ${name}, between its commas,`, value }))
}

/** Never shows a secret. */
export function weaknessesOf(secrets: readonly Secret[]): string[] {
  return [...secrets.flatMap(weaknessOf), ...alike(secrets)]
}

function weaknessOf({ title, value }: Secret): string[] {
  if (value.length < MIN_SECRET_LENGTH)
    return [`${title} has ${value.length} characters, of ${MIN_SECRET_LENGTH} that it needs: ${HOW_TO_MAKE}`]
  const isRepeated = (value + value).indexOf(value, 1) < value.length
  if (WORDS.test(value) || PLACEHOLDER.test(value) || isRepeated || new Set(value).size < MIN_DIFFERENT)
    return [`${title} is an example or can be guessed: ${HOW_TO_MAKE}`]
  return []
}

function alike(secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ title, value }, i) =>
    secrets
      .slice(0, i)
      .filter((earlier) => earlier.value === value && value !== '')
      .map((earlier) => `${title} is the same as ${earlier.title}: each needs one of its own`),
  )
}
