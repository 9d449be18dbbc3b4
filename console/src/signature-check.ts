/** A call's signature taken apart, step by step (S-1 to S-3), in this browser: neither the secret nor the body leaves the page. */

export interface SignatureStep {
  readonly says: string
  readonly isGood: boolean
  /** What is wrong, or what was found. */
  readonly detail: string
}

const SEGMENT = /^[A-Za-z0-9_-]+$/

/** Stops behind the first step that fails. */
export async function checkSignature(header: string, body: string, secret: string): Promise<readonly SignatureStep[]> {
  const steps: SignatureStep[] = []
  const step = (says: string, isGood: boolean, detail: string) => {
    steps.push({ says, isGood, detail })
    return isGood
  }
  const value = header.trim().replace(/^x-sign-jws\s*:\s*/i, '')
  const parts = value.split('.')
  const [protectedHeader = '', payload = '', signature = ''] = parts
  if (!step('The header has three parts with dots between', parts.length === 3, `${parts.length} found`)) return steps
  if (
    !step(
      'The middle part is empty: the body is the payload',
      payload === '',
      payload === '' ? 'empty' : 'it holds a payload',
    )
  )
    return steps
  const algorithm = algorithmOf(protectedHeader)
  if (!step('The first part is JSON and names HS256', algorithm === 'HS256', algorithm ?? 'it is no JSON in base64url'))
    return steps
  const isShaped = signature.length === 43 && SEGMENT.test(signature)
  if (!step('The last part is 32 bytes in base64url', isShaped, `${signature.length} characters`)) return steps
  const wanted = await macOf(protectedHeader, body, secret)
  const isSame = wanted === signature
  const detail = isSame
    ? 'they are the same'
    : `expected ${wanted.slice(0, 10)}…, it is ${signature.slice(0, 10)}…: another secret, or a body that is not byte for byte the one that was signed`
  step('HMAC-SHA256 of first part, dot and body with this secret is the last part', isSame, detail)
  return steps
}

function algorithmOf(part: string): string | undefined {
  try {
    const { alg } = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as { alg?: unknown }
    return typeof alg === 'string' ? alg : 'no alg'
  } catch {
    return undefined
  }
}

async function macOf(protectedHeader: string, body: string, secret: string): Promise<string> {
  if (crypto.subtle === undefined) throw new Error('a browser works this out on https and on this machine only')
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
