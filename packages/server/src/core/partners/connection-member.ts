/**
 * The member `connection` of a partner, operator or webhook (O-20): headers, a CA, a client
 * certificate.
 *
 * It is checked when it is saved, because a fault would stop every call until a user repairs it.
 * The header values and the private key are secrets: the APIs accept them and never show them.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type ConnectionSettings, tlsOptionsOf } from '@purser/runtime/network/connection-settings'
import { type ExtraHeaders, faultOfHeader } from '@purser/runtime/network/extra-headers'
import { type Static, Type } from 'typebox'
import { escapePointerToken, invalid } from '../http/api/problem-details.ts'

const MAX_HEADERS = 20
/** Characters of the names and values together; most servers accept 8 to 16 KiB. */
const MAX_HEADER_TEXT = 6_000
const MAX_PEM_LENGTH = 20_000

const orNull = <S extends Parameters<typeof Type.Optional>[0]>(schema: S, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))
const pem = (description: string) => orNull(Type.String({ minLength: 1, maxLength: MAX_PEM_LENGTH }), description)

export const connectionMember = {
  connection: orNull(
    Type.Object(
      {
        headers: orNull(
          Type.Record(Type.String(), Type.String()),
          `Headers that are sent with every call, up to ${MAX_HEADERS}. They replace all earlier headers.`,
        ),
        ca: pem('The certificate authorities in PEM that are trusted instead of the public ones.'),
        certificate: pem('The client certificate in PEM, followed by its chain.'),
        key: pem('The private key of the client certificate in PEM, without a passphrase.'),
      },
      { additionalProperties: false },
    ),
    'The headers and certificates of calls to this address (O-20). An absent member does not change, and null removes it. The API never shows the values.',
  ),
}
export type GivenConnection = Static<typeof connectionMember.connection> | undefined

const CertificateSchema = Type.Object({
  subject: Type.String(),
  validTo: Type.String({ format: 'date-time', description: 'The time at which it ends.' }),
})
export const shownConnectionMember = {
  connection: Type.Optional(
    Type.Object(
      {
        headers: Type.Optional(Type.Array(Type.String(), { description: 'The names of the members.' })),
        ca: Type.Optional(Type.Array(CertificateSchema)),
        certificate: Type.Optional(CertificateSchema),
      },
      {
        description:
          'The headers and certificates of calls to this address (O-20), without secrets. It is absent if the address has neither.',
      },
    ),
  ),
}
type ShownConnection = NonNullable<Static<typeof shownConnectionMember.connection>>

/** Throws a Problem. `urlPointer` is the JSON pointer of `url` in the body. */
export function changedConnection(
  given: GivenConnection,
  before: ConnectionSettings,
  { url, urlPointer }: { readonly url: string; readonly urlPointer: string },
): ConnectionSettings {
  const settings = given === undefined ? before : given === null ? {} : merged(given, before)
  if (given !== undefined) checkPems(settings)
  const isPlain = new URL(url).protocol === 'http:'
  if (isPlain && (settings.ca ?? settings.certificate) !== undefined)
    throw invalid(urlPointer, 'is plain HTTP, which uses no certificate: use https, or set ca and certificate to null')
  return settings
}

function merged(given: NonNullable<GivenConnection>, before: ConnectionSettings): ConnectionSettings {
  const headers = given.headers === undefined ? before.headers : checkedHeaders(given.headers ?? {})
  const ca = changed(given.ca, before.ca)
  const certificate = changed(given.certificate, before.certificate)
  // If a certificate is removed, its key is removed too, unless a new key is given.
  const key = changed(given.certificate === null && given.key === undefined ? null : given.key, before.key)
  return {
    ...(headers !== undefined && Object.keys(headers).length > 0 && { headers }),
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

const changed = (given: string | null | undefined, before: string | undefined) =>
  given === undefined ? before : (given ?? undefined)

/** Headers that Purser sets, in addition to the list of extra-headers.ts. */
const OURS = /^(user-agent|traceparent|tracestate|webhook-(id|timestamp|signature))$/

function checkedHeaders(given: ExtraHeaders): ExtraHeaders {
  const names = Object.keys(given).map((name) => name.toLowerCase())
  if (names.length > MAX_HEADERS) throw invalid(HEADERS, `has more than ${MAX_HEADERS} headers`)
  const entries = Object.entries(given)
  for (const [name, value] of entries) checkHeader(name, value)
  if (new Set(names).size < names.length)
    throw invalid(HEADERS, 'contains a header twice: upper and lower case are equal, so remove one')
  if (entries.flat().join('').length > MAX_HEADER_TEXT)
    throw invalid(HEADERS, `is longer than ${MAX_HEADER_TEXT} characters in all`)
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value.trim()]))
}

const HEADERS = '/connection/headers'

function checkHeader(name: string, value: string): void {
  const pointer = `${HEADERS}/${escapePointerToken(name)}`
  const fault = faultOfHeader(name, value.trim())
  if (fault === 'malformed')
    throw invalid(
      pointer,
      'is not a valid header: the name must be a token, and the value printable ASCII and not empty',
    )
  if (fault === 'ours' || OURS.test(name.toLowerCase()))
    throw invalid(pointer, 'is set by the program for each call: remove it')
}

function checkPems(settings: ConnectionSettings): void {
  const { ca, certificate, key } = settings
  if (ca !== undefined) certificatesIn(ca, '/connection/ca')
  const [own] = certificate === undefined ? [] : certificatesIn(certificate, '/connection/certificate')
  checkPair(own, key === undefined ? undefined : readKey(key))
  checkWithTls(settings)
}

function checkPair(own: X509Certificate | undefined, key: KeyObject | undefined): void {
  if (own === undefined && key === undefined) return
  if (own === undefined) throw invalid('/connection/certificate', 'is required, because the key needs its certificate')
  if (key === undefined) throw invalid('/connection/key', 'is required, because the certificate needs its key')
  if (!own.checkPrivateKey(key))
    throw invalid(
      '/connection/key',
      'does not match the certificate: give the key of the first certificate in `certificate`',
    )
}

/** TLS rejects more than parsing does, for example a key that is too short. */
function checkWithTls(settings: ConnectionSettings): void {
  try {
    createSecureContext(tlsOptionsOf(settings))
  } catch (error) {
    throw invalid('/connection', `is refused by TLS: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function certificatesIn(text: string, pointer: string): X509Certificate[] {
  try {
    const found = (text.match(CERTIFICATES) ?? []).map((one) => new X509Certificate(one))
    if (found.length > 0) return found
  } catch {} // the same error as without a certificate
  throw invalid(pointer, 'has no readable certificate in PEM: give text that begins with -----BEGIN CERTIFICATE-----')
}

function readKey(text: string): KeyObject {
  if (text.includes('ENCRYPTED'))
    throw invalid(
      '/connection/key',
      'has a passphrase: give the key without it, because the server encrypts the stored key',
    )
  try {
    return createPrivateKey(text)
  } catch {
    throw invalid(
      '/connection/key',
      'is not a private key in PEM: give text that begins with -----BEGIN PRIVATE KEY-----',
    )
  }
}

/** Empty if no settings exist. */
export function showConnection(settings: ConnectionSettings): { connection?: ShownConnection } {
  const { headers, ca, certificate } = settings
  if (headers === undefined && ca === undefined && certificate === undefined) return {}
  const [own] = certificate === undefined ? [] : certificatesIn(certificate, '')
  return {
    connection: {
      ...(headers !== undefined && { headers: Object.keys(headers) }),
      ...(ca !== undefined && { ca: certificatesIn(ca, '').map(showCertificate) }),
      ...(own !== undefined && { certificate: showCertificate(own) }),
    },
  }
}

function showCertificate({ subject, validTo }: X509Certificate): Static<typeof CertificateSchema> {
  return { subject: (subject ?? '').split('\n').join(', '), validTo: new Date(validTo).toISOString() }
}
