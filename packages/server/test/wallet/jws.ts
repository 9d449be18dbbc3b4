// Detached signatures (S-1), built segment by segment, so that a test can break each segment.
import { createHmac } from 'node:crypto'

export const PLAIN_HEADER = '{"alg":"HS256","typ":"JWT"}'

export interface JwsParts {
  header?: string
  /** The protected header's segment, used instead of the encoded `header`. */
  segment?: string
  hash?: 'sha256' | 'sha384' | 'sha512'
}

export function base64url(bytes: string | Buffer): string {
  return Buffer.from(bytes).toString('base64url')
}

export function headerSegment(parts: JwsParts = {}): string {
  return parts.segment ?? base64url(parts.header ?? PLAIN_HEADER)
}

export function signatureOf(body: string | Buffer, secret: string, parts: JwsParts = {}): Buffer {
  const signed = `${headerSegment(parts)}.${base64url(body)}`
  return createHmac(parts.hash ?? 'sha256', secret)
    .update(signed)
    .digest()
}

/** A signature that is valid over its own header, with any content of the header. */
export function jws(body: string | Buffer, secret: string, parts: JwsParts = {}): string {
  return `${headerSegment(parts)}..${base64url(signatureOf(body, secret, parts))}`
}
