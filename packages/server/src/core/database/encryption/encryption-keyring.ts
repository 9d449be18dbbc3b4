/**
 * Keyring that encrypts secrets at rest with AES-256-GCM (O-5). Its keys are not in the database.
 *
 * The first key encrypts, and every key decrypts, which allows rotation. Each ciphertext has a
 * nonce of its own and is bound to its row, so a copy in another row is useless.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { environment } from '@purser/runtime/environment'

/** Value of a JSON column: plain while no key is set, else encrypted. */
export type StoredSecrets = readonly string[] | EncryptedSecrets

export interface EncryptedSecrets {
  /** Fingerprint: the first digits of a SHA-256 of the key. */
  readonly key: string
  /** Nonce, ciphertext and tag, in base64url. */
  readonly sealed: string
}

export type DecryptionFailure =
  | { readonly kind: 'unknown_key'; readonly key: string }
  /** The value was changed, or moved here from another row. */
  | { readonly kind: 'not_authentic' }
  /** The value is plain although a key is set. A writer without the key could have stored it. */
  | { readonly kind: 'not_encrypted' }

export type DecryptionResult = { readonly kind: 'opened'; readonly secrets: readonly string[] } | DecryptionFailure

export interface EncryptionKeyring {
  /** Fingerprints; the first key encrypts. */
  readonly keys: readonly string[]
  /** `row` names the table and the row. */
  encrypt(secrets: readonly string[], row: string): StoredSecrets
  decrypt(stored: StoredSecrets, row: string): DecryptionResult
  /** True if `encrypt` would use the same key today. */
  isCurrent(stored: StoredSecrets): boolean
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Hexadecimal digits. */
const NAME_LENGTH = 8

/** Keys have 32 bytes. Without a key, secrets stay plain. */
export function createEncryptionKeyring(keys: readonly Buffer[]): EncryptionKeyring {
  const named = new Map(keys.map((key) => [fingerprintKey(key), key]))
  const [first] = named
  return {
    keys: [...named.keys()],
    encrypt: (secrets, row) =>
      first === undefined ? secrets : { key: first[0], sealed: encryptWithKey(first[1], secrets, row) },
    decrypt(stored, row) {
      if (!isEncrypted(stored))
        return first === undefined ? { kind: 'opened', secrets: stored } : { kind: 'not_encrypted' }
      const key = named.get(stored.key)
      return key === undefined ? { kind: 'unknown_key', key: stored.key } : decryptWithKey(key, stored.sealed, row)
    },
    isCurrent: (stored) => (isEncrypted(stored) ? stored.key : undefined) === first?.[0],
  }
}

export function isEncrypted(stored: StoredSecrets): stored is EncryptedSecrets {
  return 'sealed' in stored
}

function fingerprintKey(key: Buffer): string {
  return createHash('sha256').update('name of a key ').update(key).digest('hex').slice(0, NAME_LENGTH)
}

function encryptWithKey(key: Buffer, secrets: readonly string[], row: string): string {
  const nonce = environment.randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(row))
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
}

function decryptWithKey(key: Buffer, sealed: string, row: string): DecryptionResult {
  const bytes = Buffer.from(sealed, 'base64url')
  const [nonce, text, tag] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    bytes.subarray(-TAG_BYTES),
  ]
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(row))
    decipher.setAuthTag(tag)
    const decrypted = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
    return { kind: 'opened', secrets: JSON.parse(decrypted) as string[] }
  } catch {
    return { kind: 'not_authentic' }
  }
}
