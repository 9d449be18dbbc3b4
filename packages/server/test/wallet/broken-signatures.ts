// Every known way to break x-sign-jws (S-1, S-2). Where a header has forbidden content, its HMAC is
// correct, so the wallet can reject only the content.
import { createHmac } from 'node:crypto'
import { base64url, headerSegment, type JwsParts, jws, PLAIN_HEADER, signatureOf } from './jws.ts'

export interface BrokenSignature {
  what: string
  /** The header's value; an array means several headers, undefined means none. */
  header: (body: string, secret: string) => string | string[] | undefined
}

const withHeader = (what: string, header: string | object, parts: JwsParts = {}): BrokenSignature => {
  const text = typeof header === 'string' ? header : JSON.stringify(header)
  return { what, header: (body, secret) => jws(body, secret, { ...parts, header: text }) }
}

const withSegment = (what: string, segment: string): BrokenSignature => ({
  what,
  header: (body, secret) => jws(body, secret, { segment }),
})

const withSignature = (what: string, change: (segment: string) => string): BrokenSignature => ({
  what,
  header: (body, secret) => `${headerSegment()}..${change(base64url(signatureOf(body, secret)))}`,
})

const changed = (what: string, change: (good: string) => string): BrokenSignature => ({
  what,
  header: (body, secret) => change(jws(body, secret)),
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Another spelling of the same 32 bytes: it sets the two unused bits of the 43rd base64url
 * character.
 */
function otherSpelling(segment: string): string {
  const last = ALPHABET.indexOf(segment.slice(-1))
  return segment.slice(0, -1) + ALPHABET[last + 1]
}

const noHeader: BrokenSignature[] = [
  { what: 'no header', header: () => undefined },
  { what: 'an empty header', header: () => '' },
  { what: 'two headers, both good', header: (body, secret) => [jws(body, secret), jws(body, secret)] },
  { what: 'two headers, the first bad', header: (body, secret) => ['bad', jws(body, secret)] },
  { what: 'two headers, the last bad', header: (body, secret) => [jws(body, secret), 'bad'] },
]

const parts: BrokenSignature[] = [
  ...['x', '.', '..', '...', 'null', 'undefined', 'eyJ9', '{}', 'a.b.c'].map((text) => ({
    what: `"${text}"`,
    header: () => text,
  })),
  changed('one dot only', (good) => good.replace('..', '.')),
  changed('three dots', (good) => good.replace('..', '...')),
  changed('a fourth part', (good) => `${good}.x`),
  changed('a fourth, empty part', (good) => `${good}.`),
  changed('a scheme before it', (good) => `Bearer ${good}`),
  changed('quotes around it', (good) => `"${good}"`),
  changed('a list of it', (good) => `${good}, ${good}`),
  {
    what: 'the body as its middle part',
    header: (body, secret) => jws(body, secret).replace('..', `.${base64url(body)}.`),
  },
  changed('something else as its middle part', (good) => good.replace('..', '.e30.')),
  changed('no protected header', (good) => good.slice(good.indexOf('.'))),
  changed('nothing but the protected header', (good) => good.slice(0, good.indexOf('.') + 2)),
  changed('its parts the other way round', (good) => good.split('.').reverse().join('.')),
]

const bytes: BrokenSignature[] = [
  { what: 'another secret', header: (body) => jws(body, 'another secret') },
  { what: 'an empty secret', header: (body) => jws(body, '') },
  { what: "another body's signature", header: (_, secret) => jws('{}', secret) },
  { what: 'an empty body’s signature', header: (_, secret) => jws('', secret) },
  { what: 'one more byte signed', header: (body, secret) => jws(`${body} `, secret) },
  {
    what: 'the re-serialised JSON signed',
    header: (body, secret) => jws(JSON.stringify(parsedOr(body), null, 1), secret),
  },
  {
    what: 'the bare body signed, without the header',
    header: (body, secret) => `${headerSegment()}..${createHmac('sha256', secret).update(body).digest('base64url')}`,
  },
  {
    what: 'the body signed unencoded (RFC 7797)',
    header: (body, secret) =>
      `${headerSegment()}..${createHmac('sha256', secret).update(`${headerSegment()}.${body}`).digest('base64url')}`,
  },
  {
    what: 'the other spelling of the header signed',
    header: (body, secret) =>
      `${headerSegment()}..${base64url(signatureOf(body, secret, { header: '{"typ":"JWT","alg":"HS256"}' }))}`,
  },
  {
    what: 'hexadecimal instead of base64url',
    header: (body, secret) => `${headerSegment()}..${signatureOf(body, secret).toString('hex')}`,
  },
]

function parsedOr(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

const spelling: BrokenSignature[] = [
  withSignature('padding', (segment) => `${segment}=`),
  withSignature('a spelling that is not canonical', otherSpelling),
  withSignature('its first character missing', (segment) => segment.slice(1)),
  withSignature('its last character missing', (segment) => segment.slice(0, -1)),
  withSignature('half of it', (segment) => segment.slice(0, 21)),
  withSignature('one character too many', (segment) => `${segment}A`),
  withSignature('one bit flipped', (segment) => (segment.startsWith('A') ? 'B' : 'A') + segment.slice(1)),
  withSignature('its case changed', (segment) => segment.toLowerCase()),
  withSignature('garbage inside it', (segment) => `${segment.slice(0, 20)}*${segment.slice(20)}`),
  withSignature('garbage in place of a character', (segment) => `${segment.slice(0, 20)}!${segment.slice(21)}`),
  withSignature('a space inside it', (segment) => `${segment.slice(0, 20)} ${segment.slice(20)}`),
  withSignature('43 zeros', () => 'A'.repeat(43)),
  ...[10_000, 20_000, 200_000].map((length) =>
    withSignature(`${length} characters`, (segment) => segment.repeat(length / segment.length)),
  ),
]

const algorithms: BrokenSignature[] = [
  withHeader('alg none, signed', { alg: 'none', typ: 'JWT' }),
  { what: 'alg none, unsigned', header: () => `${base64url('{"alg":"none"}')}..` },
  withHeader('alg HS512, so signed', { alg: 'HS512', typ: 'JWT' }, { hash: 'sha512' }),
  withHeader('alg HS512, signed with HS256', { alg: 'HS512', typ: 'JWT' }),
  withHeader('alg HS256, signed with HS512', PLAIN_HEADER, { hash: 'sha512' }),
  withHeader('alg HS384, so signed', { alg: 'HS384', typ: 'JWT' }, { hash: 'sha384' }),
  withHeader('alg RS256', { alg: 'RS256', typ: 'JWT' }),
  withHeader('alg ES256', { alg: 'ES256', typ: 'JWT' }),
  withHeader('alg in lower case', { alg: 'hs256', typ: 'JWT' }),
  withHeader('alg with a space', { alg: 'HS256 ', typ: 'JWT' }),
  withHeader('alg in a list', { alg: ['HS256'] }),
  withHeader('alg null', { alg: null }),
  withHeader('no alg', { typ: 'JWT' }),
  withHeader('alg of the prototype', '{"__proto__":{"alg":"HS256"}}'),
  withHeader('crit', { alg: 'HS256', crit: ['exp'], exp: 1 }),
  withHeader('crit, empty', { alg: 'HS256', crit: [] }),
  withHeader('crit with b64', { alg: 'HS256', b64: false, crit: ['b64'] }),
  withHeader('b64 false', { alg: 'HS256', b64: false }),
  withHeader('alg twice, the last good', '{"alg":"none","alg":"HS256"}'),
  withHeader('alg twice, the first good', '{"alg":"HS256","alg":"none"}'),
  withHeader('alg twice, both good', '{"alg":"HS256","typ":"JWT","alg" : "HS256"}'),
  withHeader('alg twice, once in escapes', '{"\\u0061lg":"none","alg":"HS256"}'),
  withHeader('another name twice', '{"alg":"HS256","typ":"JWT","typ":"JOSE"}'),
  withHeader('a name twice further down', '{"alg":"HS256","jwk":{"kid":"1","kid":"2"}}'),
]

const headers: BrokenSignature[] = [
  withHeader('a header that is no JSON', 'alg=HS256'),
  withHeader('a header that is half a JSON', '{"alg":"HS256"'),
  withHeader('a header that is a list', '["HS256"]'),
  withHeader('a header that is a string', '"HS256"'),
  withHeader('a header that is null', 'null'),
  withHeader('a header that is empty', ''),
  withSegment('a header with padding', `${base64url('{"alg":"HS256" }')}==`),
  withSegment('a header in the other alphabet', 'eyJhbGciOiJIUzI1NiIsIngiOiL/Pz8/In0'),
  withSegment('a header with garbage in it', `${base64url(PLAIN_HEADER)}!`),
  withSegment('a header that is not encoded', '{"alg":"HS256"}'),
]

export const brokenSignatures: BrokenSignature[] = [
  ...noHeader,
  ...parts,
  ...bytes,
  ...spelling,
  ...algorithms,
  ...headers,
]
