/** Verifies a call's signature step by step (S-1 to S-3). Secret and body stay in the browser. */
import { hasUniqueNames } from '@purser/protocol/values/json-scanner'

export interface SignatureStep {
  readonly description: string
  readonly isGood: boolean
  /** The error, or the value found. */
  readonly detail: string
}

const SEGMENT = /^[A-Za-z0-9_-]+$/

/** Stops after the first failed step. */
export async function checkSignature(header: string, body: string, secret: string): Promise<readonly SignatureStep[]> {
  const steps: SignatureStep[] = []
  const step = (description: string, isGood: boolean, detail: string) => {
    steps.push({ description, isGood, detail })
    return isGood
  }
  const value = header.trim().replace(/^x-sign-jws\s*:\s*/i, '')
  const parts = value.split('.')
  const [protectedHeader = '', payload = '', signature = ''] = parts
  if (!step('The header has three parts, separated by dots', parts.length === 3, `${parts.length} found`)) return steps
  if (
    !step(
      'The middle part is empty: the body is the payload',
      payload === '',
      payload === '' ? 'empty' : 'it contains a payload',
    )
  )
    return steps
  const first = parseHeader(protectedHeader)
  const algorithm = first === undefined ? 'it is not JSON in base64url' : algorithmOf(first.members)
  if (!step('The first part is JSON and names HS256', algorithm === 'HS256', algorithm)) return steps
  const twist = first === undefined ? undefined : findForbiddenHeader(first)
  if (!step('The first part has no member that a wallet rejects', twist === undefined, twist ?? 'none')) return steps
  const isShaped = signature.length === 43 && SEGMENT.test(signature)
  if (!step('The last part is 32 bytes in base64url', isShaped, `${signature.length} characters`)) return steps
  const expected = await computeMac(protectedHeader, body, secret)
  const isSame = expected === signature
  const detail = isSame
    ? 'the signatures match'
    : `expected ${expected.slice(0, 10)}…, found ${signature.slice(0, 10)}…: the secret is wrong, or the body differs from the signed one`
  step('The last part is the HMAC-SHA256 of the first part, a dot and the body', isSame, detail)
  return steps
}

interface Header {
  readonly text: string
  readonly members: Readonly<Record<string, unknown>>
}

/** Undefined if the part is not a JSON object. */
function parseHeader(part: string): Header | undefined {
  if (!SEGMENT.test(part)) return undefined
  try {
    const bytes = Uint8Array.from(atob(wholeBytes(part)), (char) => char.charCodeAt(0))
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const members: unknown = JSON.parse(text)
    return typeof members === 'object' && members !== null ? { text, members: { ...members } } : undefined
  } catch {
    return undefined
  }
}

/**
 * Standard base64 without a last character that forms no byte, because the wallet ignores it too.
 */
function wholeBytes(part: string): string {
  const whole = part.length % 4 === 1 ? part.slice(0, -1) : part
  return whole.replaceAll('-', '+').replaceAll('_', '/')
}

function algorithmOf({ alg }: Header['members']): string {
  return typeof alg === 'string' ? alg : 'no alg'
}

/**
 * The reason why a wallet rejects the header despite its algorithm (S-2). Undefined for a valid
 * header.
 */
function findForbiddenHeader({ text, members }: Header): string | undefined {
  if (Object.hasOwn(members, 'crit')) return 'it has crit, which a wallet rejects'
  if (Object.hasOwn(members, 'b64') && members.b64 !== true)
    return 'it has b64 with a value other than true, which a wallet rejects'
  return hasUniqueNames(text) ? undefined : 'it contains a name twice, which a wallet rejects'
}

async function computeMac(protectedHeader: string, body: string, secret: string): Promise<string> {
  if (crypto.subtle === undefined) throw new Error('a browser can check signatures only over https or on this machine')
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const text = `${protectedHeader}.${base64url(bytes.encode(body))}`
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(text))))
}

function base64url(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const ORDINALS = ['', 'first', 'second', 'third', 'fourth']

/** The number in "verified with secret 1" is the position in the setting (S-3). */
export function describeSignature(signature: string): string {
  const [, number] = /^verified with secret (\d+)$/.exec(signature) ?? []
  if (number === undefined) return signature
  return `valid: signed with the ${ORDINALS[Number(number)] ?? `${number}th`} secret of the platform`
}
