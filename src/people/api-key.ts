/** A key of one of our own APIs: what it looks like, and what is kept of it. */
import { createHash } from 'node:crypto'
import { world } from '../runtime/world.ts'

const RANDOM_BYTES = 32
/** For people and for programs that look for keys in the wrong places. */
const PREFIX = 'purser_'
/** Characters of the hash that are shown: enough to tell two keys apart, too few to find one. */
const HASH_LENGTH = 8

export function newApiKey(): string {
  return PREFIX + world.bytes(RANDOM_BYTES).toString('base64url')
}

/** What could be one that we made. */
export function looksMade(key: string): boolean {
  return /^purser_[\w-]{43}$/.test(key)
}

export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The beginning of a hash, as lists and the action log show it. */
export function shownHash(hash: Buffer | string): string {
  const text = typeof hash === 'string' ? hash : hash.toString('hex')
  return text.slice(0, HASH_LENGTH)
}
