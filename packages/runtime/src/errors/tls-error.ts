/** Classifies errors of TLS connections, and names the remedy. */

/** Codes from Node's documentation, "X509 certificate error codes". */
const OF_CERTIFICATES: Readonly<Record<string, TlsFault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_SIGNATURE_FAILURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  CERT_REJECTED: 'untrusted',
  CERT_REVOKED: 'untrusted',
  INVALID_CA: 'untrusted',
  INVALID_PURPOSE: 'untrusted',
  CERT_CHAIN_TOO_LONG: 'untrusted',
  PATH_LENGTH_EXCEEDED: 'untrusted',
  CERT_NOT_YET_VALID: 'expired',
  CERT_HAS_EXPIRED: 'expired',
  HOSTNAME_MISMATCH: 'other_name',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
  EPROTO: 'other',
}

/** `other`: client and server share no TLS settings, or a client certificate is missing. */
export type TlsFault = 'untrusted' | 'expired' | 'other_name' | 'other'

/** Undefined for an error that TLS did not cause. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return OF_CERTIFICATES[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? 'other' : undefined)
}

/** The most frequent cause of a failure is a wrong connection setting (O-20). */
const ADVICE: Readonly<Record<TlsFault, string>> = {
  untrusted: 'no authority that is known here has signed its certificate: give the right one as connection.ca',
  expired: 'its certificate is not valid today: it must be renewed there',
  other_name: 'its certificate is for another name: call it by a name that the certificate has',
  other: 'TLS was refused: compare the address, and the client certificate in connection.certificate',
}

export function withTlsAdvice(text: string, error: unknown): string {
  const fault = tlsFaultOf(error)
  return fault === undefined ? text : `${ADVICE[fault]} (${text})`
}
