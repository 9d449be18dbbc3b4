/**
 * Secrets at rest (O-5): encrypted with AES-256-GCM under a key that is not in the database, each with a nonce of its own, and bound to
 * the row that it stands in, so that a copy of one row is of no use in another. The first key encrypts; every key reads, while they rotate.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { world } from '../runtime/world.ts'

/** As a column of JSON has it: readable, as long as there is no key, or encrypted. */
export type Kept = readonly string[] | Sealed

export interface Sealed {
  /** The beginning of the SHA-256 of its key. */
  readonly key: string
  /** Nonce, text and tag, in base64url. */
  readonly sealed: string
}

/** Why something cannot be read. */
export type Unreadable =
  | { readonly kind: 'unknown_key'; readonly key: string }
  /** Changed, or moved here from another row. */
  | { readonly kind: 'not_authentic' }
  /** Readable, beside a key: whoever may write the row, but has no key, could have put it there. */
  | { readonly kind: 'not_encrypted' }

export type Opened = { readonly kind: 'opened'; readonly secrets: readonly string[] } | Unreadable

export interface Keyring {
  /** What names the keys; the first one encrypts. */
  readonly keys: readonly string[]
  /** `row` names the table and the row. */
  seal(secrets: readonly string[], row: string): Kept
  open(kept: Kept, row: string): Opened
  /** Whether it is as `seal` would make it today. */
  isCurrent(kept: Kept): boolean
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Characters: enough to tell keys apart. */
const NAME_LENGTH = 8

/** Keys of 32 bytes. Without any, secrets stay readable. */
export function createKeyring(keys: readonly Buffer[]): Keyring {
  const named = new Map(keys.map((key) => [nameOf(key), key]))
  const [first] = named
  return {
    keys: [...named.keys()],
    seal: (secrets, row) =>
      first === undefined ? secrets : { key: first[0], sealed: encrypt(first[1], secrets, row) },
    open(kept, row) {
      if (!isSealed(kept)) return first === undefined ? { kind: 'opened', secrets: kept } : { kind: 'not_encrypted' }
      const key = named.get(kept.key)
      return key === undefined ? { kind: 'unknown_key', key: kept.key } : decrypt(key, kept.sealed, row)
    },
    isCurrent: (kept) => (isSealed(kept) ? kept.key : undefined) === first?.[0],
  }
}

export function isSealed(kept: Kept): kept is Sealed {
  return 'sealed' in kept
}

function nameOf(key: Buffer): string {
  return createHash('sha256').update('name of a key ').update(key).digest('hex').slice(0, NAME_LENGTH)
}

function encrypt(key: Buffer, secrets: readonly string[], row: string): string {
  const nonce = world.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(row))
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: Buffer, sealed: string, row: string): Opened {
  const bytes = Buffer.from(sealed, 'base64url')
  const [nonce, text, tag] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    bytes.subarray(-TAG_BYTES),
  ]
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(row))
    decipher.setAuthTag(tag)
    const opened = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
    return { kind: 'opened', secrets: JSON.parse(opened) as string[] }
  } catch {
    return { kind: 'not_authentic' }
  }
}
