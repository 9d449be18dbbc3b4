/** Parser for PURSER_ENCRYPTION_KEY, the keys of secrets at rest (O-5). */

/** A key of AES-256 has 32 bytes. */
const ENCRYPTION_KEY = /^[0-9a-fA-F]{64}$/

/** Messages never show a key, even if it is wrong. */
export function readEncryptionKeys(given: string, problems: string[]): Buffer[] {
  const parts = given.split(',').map((part) => part.trim())
  if (parts.join('') === '') return []
  if (!parts.every((part) => ENCRYPTION_KEY.test(part)))
    problems.push(
      'PURSER_ENCRYPTION_KEY must be 64 hexadecimal digits, or several of these with commas: openssl rand -hex 32',
    )
  return parts.map((part) => Buffer.from(part, 'hex'))
}
