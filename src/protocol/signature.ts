/**
 * The header `x-sign-jws`: a detached JWS (RFC 7515, appendix F) with HMAC-SHA256 over the exact bytes of the body
 * (S-1 to S-3). node:crypto directly: 2 µs a call, where a JOSE library costs 45 µs.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { hasUniqueNames } from './values/json-scanner.ts'

export const SIGNATURE_HEADER = 'x-sign-jws'

/** One of the two spellings of the protected header that occur in the wild; ours when we sign. */
const OWN_HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

const SEGMENT = /^[A-Za-z0-9_-]+$/
/** 32 bytes in base64url. */
const SIGNATURE_CHARS = 43
const MAX_HEADER_CHARS = 1_024

/** The value of `x-sign-jws` for these bytes. */
export function signBody(body: Uint8Array, secret: string): string {
  return `${OWN_HEADER}..${computeMac(toSigningInput(OWN_HEADER, body), secret)}`
}

/** True if the header signs exactly these bytes with one of the secrets. Never says why not (S-2). */
export function verifySignature(header: unknown, body: Uint8Array, secrets: readonly string[]): boolean {
  return findSigner(header, body, secrets) !== undefined
}

/** The place of the secret with which the header signs exactly these bytes; undefined when it is none of them. */
export function findSigner(header: unknown, body: Uint8Array, secrets: readonly string[]): number | undefined {
  if (typeof header !== 'string' || header.length > MAX_HEADER_CHARS) return undefined
  const parts = header.split('.')
  const [protectedHeader, payload, signature] = parts
  if (parts.length !== 3 || payload !== '' || protectedHeader === undefined || signature === undefined) return undefined
  if (!isAcceptableHeader(protectedHeader)) return undefined
  if (signature.length !== SIGNATURE_CHARS || !SEGMENT.test(signature)) return undefined
  const text = toSigningInput(protectedHeader, body)
  const recent = orderByRecentUse(secrets)
  const at = recent.findIndex((index) => isSameSignature(signature, computeMac(text, secrets[index] as string)))
  const index = recent[at]
  if (index !== undefined && at > 0) recent.unshift(...recent.splice(at, 1))
  return index
}

/**
 * The places of the secrets, that of the last signer first: it is nearly always the next one too.
 * A guess: whatever the order, the same calls verify.
 */
const recentOrders = new WeakMap<readonly string[], number[]>()

function orderByRecentUse(secrets: readonly string[]): number[] {
  const known = recentOrders.get(secrets)
  if (known?.length === secrets.length) return known
  const indexes = secrets.map((_, index) => index)
  recentOrders.set(secrets, indexes)
  return indexes
}

/** What the hash reads at a time, which is also the length of a key (RFC 2104). */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** A longer message gets memory of its own. */
const MESSAGE_BYTES = 16 * 1024

interface HmacKey {
  readonly innerPad: Buffer
  /** The outer pad, and room for the inner digest. */
  readonly outer: Buffer
}

const messageBuffer = Buffer.alloc(MESSAGE_BYTES)

/** What is signed, behind room for the pad of a key: encoded once, however many secrets are tried. */
function toSigningInput(protectedHeader: string, body: Uint8Array): Buffer {
  const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64url')
  const text = `${protectedHeader}.${payload}`
  const bytes = BLOCK_BYTES + text.length
  const padded = bytes <= MESSAGE_BYTES ? messageBuffer.subarray(0, bytes) : Buffer.alloc(bytes)
  padded.write(text, BLOCK_BYTES, 'latin1')
  return padded
}

/** HMAC-SHA256 in base64url. Two hashes behind the two pads of the key cost less than half of what node's Hmac costs. */
function computeMac(text: Buffer, secret: string): string {
  const { innerPad, outer } = getHmacKey(secret)
  text.set(innerPad)
  outer.write(hash('sha256', text, 'binary'), BLOCK_BYTES, 'binary')
  return hash('sha256', outer, 'base64url')
}

const hmacKeys = new Map<string, HmacKey>()
/** Secrets whose pads are kept. */
const MAX_KEYS = 1_000

function getHmacKey(secret: string): HmacKey {
  const known = hmacKeys.get(secret)
  if (known !== undefined) return known
  if (hmacKeys.size === MAX_KEYS) hmacKeys.clear()
  const key = createHmacKey(Buffer.from(secret))
  hmacKeys.set(secret, key)
  return key
}

function createHmacKey(secret: Buffer): HmacKey {
  const padded = Buffer.alloc(BLOCK_BYTES)
  padded.set(secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret)
  const innerPad = padded.map((byte) => byte ^ 0x36) as Buffer
  const outerPad = padded.map((byte) => byte ^ 0x5c)
  return { innerPad, outer: Buffer.concat([outerPad, Buffer.alloc(DIGEST_BYTES)]) }
}

const signatureBuffer = Buffer.alloc(SIGNATURE_CHARS)
const expectedBuffer = Buffer.alloc(SIGNATURE_CHARS)

/** Compares texts, of which a digest has one: a signature cannot be varied without breaking it. Takes always the same time. */
function isSameSignature(signature: string, expected: string): boolean {
  signatureBuffer.write(signature, 'latin1')
  expectedBuffer.write(expected, 'latin1')
  return timingSafeEqual(signatureBuffer, expectedBuffer)
}

/** Platforms send one header all day long: what was found of it is kept, for a bounded number of spellings. */
const headerVerdicts = new Map<string, boolean>()
const MAX_HEADER_VERDICTS = 64

function isAcceptableHeader(protectedHeader: string): boolean {
  const known = headerVerdicts.get(protectedHeader)
  if (known !== undefined) return known
  const acceptable = checkHeader(protectedHeader)
  if (headerVerdicts.size < MAX_HEADER_VERDICTS) headerVerdicts.set(protectedHeader, acceptable)
  return acceptable
}

/**
 * HS256 and nothing that would change what is signed: no `crit`, no `b64:false` (S-2), no name twice (RFC 7515, section 4). `parseJsonObject` would
 * catch too little: in a header that is nested deep enough counting the names throws too.
 */
function checkHeader(protectedHeader: string): boolean {
  if (!SEGMENT.test(protectedHeader)) return false
  try {
    const text = Buffer.from(protectedHeader, 'base64url').toString('utf8')
    const header: unknown = JSON.parse(text)
    if (typeof header !== 'object' || header === null || !hasUniqueNames(text)) return false
    return 'alg' in header && header.alg === 'HS256' && !('crit' in header) && !('b64' in header && header.b64 !== true)
  } catch {
    return false
  }
}
