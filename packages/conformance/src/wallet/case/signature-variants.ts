/** Variants of the header x-sign-jws: a valid one, and one with each possible fault (S-1, S-2). */
import { createHmac } from 'node:crypto'
import { signBody } from '@purser/protocol/signature'
import type { SignatureVariant } from './wallet-case.ts'

/** Undefined if no header is sent. */
export function signWithVariant(variant: SignatureVariant, body: Uint8Array, secret: string): string | undefined {
  switch (variant) {
    case 'valid':
      return signBody(body, secret)
    case 'other spelling':
      return jws('{"typ":"JWT","alg":"HS256"}', body, secret)
    case 'absent':
      return undefined
    case 'garbage':
      return `${signBody(body, secret).split('.')[0]}..bm90LWEtc2lnbmF0dXJl`
    case 'wrong secret':
      return signBody(body, `${secret}x`)
    case 'two parts':
      return signBody(body, secret).replace('..', '.')
    case 'of another body':
      return signBody(Buffer.concat([body, Buffer.from(' ')]), secret)
    case 'alg none':
      return jws('{"alg":"none","typ":"JWT"}', body, secret)
    case 'alg none, unsigned':
      return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}..`
    case 'alg HS512':
      return jws('{"alg":"HS512","typ":"JWT"}', body, secret, 'sha512')
    case 'alg RS256':
      return jws('{"alg":"RS256","typ":"JWT"}', body, secret)
    case 'crit':
      return jws('{"alg":"HS256","typ":"JWT","crit":["added"],"added":1}', body, secret)
    case 'cut short':
      return truncateSignature(signBody(body, secret), 2)
    case 'empty':
      return truncateSignature(signBody(body, secret), 0)
    case 'payload inside':
      return signBody(body, secret).replace('..', `.${Buffer.from(body).toString('base64url')}.`)
    default:
      return variant satisfies never
  }
}

function truncateSignature(signature: string, length: number): string {
  return signature.slice(0, signature.lastIndexOf('.') + 1 + length)
}

function jws(header: string, body: Uint8Array, secret: string, hash: 'sha256' | 'sha512' = 'sha256'): string {
  const first = Buffer.from(header).toString('base64url')
  const signed = `${first}.${Buffer.from(body).toString('base64url')}`
  return `${first}..${createHmac(hash, secret).update(signed).digest('base64url')}`
}
