/** Format and hash of an API key. */
import { createHash } from 'node:crypto'
import { environment } from '@purser/runtime/environment'

const RANDOM_BYTES = 32
/** Recognisable for people and for secret scanners. */
const PREFIX = 'purser_'
/** Characters of the displayed hash: enough to distinguish two keys, too few to find one. */
const HASH_LENGTH = 8

export function generateApiKey(): string {
  return PREFIX + environment.randomBytes(RANDOM_BYTES).toString('base64url')
}

/** True if the text has the form of our keys. */
export function hasApiKeyFormat(key: string): boolean {
  return /^purser_[\w-]{43}$/.test(key)
}

export function hashCredential(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

export function abbreviateHash(hash: Buffer | string): string {
  const text = typeof hash === 'string' ? hash : hash.toString('hex')
  return text.slice(0, HASH_LENGTH)
}
