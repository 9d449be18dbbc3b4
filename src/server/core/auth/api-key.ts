/** A key of one of our own APIs: what it looks like, and what is kept of it. */
import { createHash } from 'node:crypto'
import { environment } from '../../../runtime/environment.ts'

const RANDOM_BYTES = 32
/** For people and for programs that look for keys in the wrong places. */
const PREFIX = 'purser_'
/** Characters of the hash that are shown: enough to tell two keys apart, too few to find one. */
const HASH_LENGTH = 8

export function generateApiKey(): string {
  return PREFIX + environment.randomBytes(RANDOM_BYTES).toString('base64url')
}

/** What could be one that we made. */
export function hasApiKeyFormat(key: string): boolean {
  return /^purser_[\w-]{43}$/.test(key)
}

export function hashCredential(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The beginning of a hash, as lists and the action log show it. */
export function abbreviateHash(hash: Buffer | string): string {
  const text = typeof hash === 'string' ? hash : hash.toString('hex')
  return text.slice(0, HASH_LENGTH)
}
