/**
 * The header `x-sign-jws`: a detached JWS (RFC 7515, appendix F) with HMAC-SHA256 over the exact bytes of the body
 * (S-1 to S-3). node:crypto directly: 7 µs a call, where a JOSE library costs 45 µs.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { namesAreUnique } from './json.ts'

export const SIGNATURE_HEADER = 'x-sign-jws'

/** One of the two spellings of the protected header that occur in the wild; ours when we sign. */
const OWN_HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

const SEGMENT = /^[A-Za-z0-9_-]+$/
/** 32 bytes in base64url. */
const SIGNATURE_CHARS = 43
const MAX_HEADER_CHARS = 1_024

/** The value of `x-sign-jws` for these bytes. */
export function sign(body: Uint8Array, secret: string): string {
  return `${OWN_HEADER}..${mac(OWN_HEADER, body, secret).toString('base64url')}`
}

/** True if the header signs exactly these bytes with one of the secrets. Never says why not (S-2). */
export function verify(header: unknown, body: Uint8Array, secrets: readonly string[]): boolean {
  if (typeof header !== 'string' || header.length > MAX_HEADER_CHARS) return false
  const parts = header.split('.')
  const [protectedHeader, payload, signature] = parts
  if (parts.length !== 3 || payload !== '' || protectedHeader === undefined || signature === undefined) return false
  if (!isAcceptable(protectedHeader)) return false
  const given = decodeSignature(signature)
  return given !== undefined && secrets.some((secret) => timingSafeEqual(given, mac(protectedHeader, body, secret)))
}

function mac(protectedHeader: string, body: Uint8Array, secret: string): Buffer {
  const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64url')
  return createHmac('sha256', secret).update(`${protectedHeader}.${payload}`).digest()
}

/** Only the one canonical spelling of 32 bytes counts, so that a signature cannot be varied without breaking it. */
function decodeSignature(segment: string): Buffer | undefined {
  if (segment.length !== SIGNATURE_CHARS) return undefined
  const bytes = Buffer.from(segment, 'base64url')
  return bytes.toString('base64url') === segment ? bytes : undefined
}

/** Platforms send one header all day long: what was found of it is kept, for a bounded number of spellings. */
const judged = new Map<string, boolean>()
const MAX_JUDGED = 64

function isAcceptable(protectedHeader: string): boolean {
  const known = judged.get(protectedHeader)
  if (known !== undefined) return known
  const acceptable = judgeHeader(protectedHeader)
  if (judged.size < MAX_JUDGED) judged.set(protectedHeader, acceptable)
  return acceptable
}

/** HS256 and nothing that would change what is signed: no `crit`, no `b64:false` (S-2), no name twice (RFC 7515, section 4). */
function judgeHeader(protectedHeader: string): boolean {
  if (!SEGMENT.test(protectedHeader)) return false
  try {
    const text = Buffer.from(protectedHeader, 'base64url').toString('utf8')
    const header: unknown = JSON.parse(text)
    if (typeof header !== 'object' || header === null || !namesAreUnique(text)) return false
    return 'alg' in header && header.alg === 'HS256' && !('crit' in header) && !('b64' in header && header.b64 !== true)
  } catch {
    return false
  }
}
