/** Checks the signature over the received bytes of a call (S-1, S-2). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Faults, MutantId } from './mutants.ts'

export type CallName = 'place' | 'settle' | 'unsettle' | 'rollback' | 'profile' | 'balance' | 'check'

const UNCHECKED: Readonly<Partial<Record<CallName, MutantId>>> = {
  place: 'signature-place-unchecked',
  settle: 'signature-settle-unchecked',
  unsettle: 'signature-unsettle-unchecked',
  rollback: 'signature-rollback-unchecked',
  profile: 'signature-profile-unchecked',
  balance: 'signature-balance-unchecked',
  check: 'signature-check-unchecked',
}

/** Only a fault reads `name`, because the body is not verified yet. */
export function isSigned(
  faults: Faults,
  name: CallName | undefined,
  header: string | undefined,
  body: Buffer,
  secret: string,
): boolean {
  const unchecked = name && UNCHECKED[name]
  if (faults.has('signature-unchecked') || (unchecked && faults.has(unchecked))) return true
  if (header === undefined) return faults.has('signature-absent-accepted')
  const parts = header.split('.')
  if (parts.length === 2 && faults.has('signature-two-parts-accepted')) parts.splice(1, 0, '')
  const [protectedHeader, payload, given] = parts
  if (parts.length !== 3 || protectedHeader === undefined || given === undefined) return false
  if (payload !== '' && !faults.has('signature-payload-accepted')) return false
  return isGood(faults, protectedHeader, given, signedBytes(faults, body), secret)
}

function isGood(faults: Faults, protectedHeader: string, given: string, body: Buffer, secret: string): boolean {
  const { alg, ...rest } = readHeader(protectedHeader)
  if (alg === 'none' && given === '') return faults.has('signature-alg-none')
  if ('crit' in rest && !faults.has('signature-crit-accepted')) return false
  if (rest.b64 === false) return false
  const hash = hashFor(faults, alg)
  if (hash === undefined) return false
  const expected = createHmac(hash, secret)
    .update(signingInput(faults, protectedHeader, body))
    .digest('base64url')
  return isEqual(given, faults.has('signature-prefix-enough') ? expected.slice(0, given.length) : expected)
}

function readHeader(protectedHeader: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString())
    return typeof header === 'object' && header !== null ? { ...header } : {}
  } catch {
    return {}
  }
}

function hashFor(faults: Faults, alg: unknown): string | undefined {
  if (alg === 'HS256' || faults.has('signature-alg-unread')) return 'sha256'
  return alg === 'HS512' && faults.has('signature-alg-chosen-by-caller') ? 'sha512' : undefined
}

const OWN_HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

function signingInput(faults: Faults, received: string, body: Buffer): string {
  const protectedHeader = faults.has('signature-own-header') ? OWN_HEADER : received
  return `${protectedHeader}.${body.toString('base64url')}`
}

/** The received bytes, unless a fault changes them. */
function signedBytes(faults: Faults, body: Buffer): Buffer {
  if (faults.has('signature-over-latin1')) return Buffer.from(body.toString('latin1'))
  if (faults.has('signature-over-own-order')) return reserialised(body, inOwnOrder)
  return faults.has('signature-over-reserialised-json') ? reserialised(body) : body
}

function reserialised(body: Buffer, change = (parsed: object) => parsed): Buffer {
  try {
    return Buffer.from(JSON.stringify(change(JSON.parse(body.toString()))))
  } catch {
    return body
  }
}

/** The order of the members of a bet call in interface.md. */
const OWN_ORDER = ['requestId', 'type', 'transactionId', 'token', 'userId', 'operatorUser', 'amount', 'currency']

function inOwnOrder(body: object): object {
  if (!('transactionId' in body)) return body
  return { ...Object.fromEntries(OWN_ORDER.filter((name) => name in body).map((name) => [name, ''])), ...body }
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
