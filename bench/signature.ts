// The x-sign-jws header (S-1, S-2) for the generator and the two peers. The peers share no code
// with src/, so that they remain independent.
import { createHmac, timingSafeEqual } from 'node:crypto'

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

function mac(secret: string, header: string, body: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`${header}.${body.toString('base64url')}`)
    .digest()
}

export function signBody(secret: string, body: Buffer): string {
  return `${HEADER}..${mac(secret, HEADER, body).toString('base64url')}`
}

/** Accepts only the generator's own header without decoding it, which favours the peers. */
export function isSignatureGood(secret: string, signature: unknown, body: Buffer): boolean {
  if (typeof signature !== 'string') return false
  const [header, middle, tail, ...more] = signature.split('.')
  if (header !== HEADER || middle !== '' || tail === undefined || more.length > 0) return false
  const given = Buffer.from(tail, 'base64url')
  const expected = mac(secret, header, body)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
