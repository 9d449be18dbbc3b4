/** Why a connection with TLS was not made. */

const UNTRUSTED =
  'no known authority has signed its certificate: name the file of the authority with sslrootcert=…, or take any certificate with sslmode=no-verify'
const EXPIRED = 'its certificate is not valid today: renew it, or set the clock'
const OTHER_NAME =
  'its certificate is for another name: connect by a name that it has, or take any certificate with sslmode=no-verify'
const OTHER = 'the two do not agree about TLS: compare its TLS settings with those of the address'

/** Node's documentation, "X509 certificate error codes". */
const OF_CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_REJECTED: UNTRUSTED,
  CERT_REVOKED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  INVALID_PURPOSE: UNTRUSTED,
  CERT_CHAIN_TOO_LONG: UNTRUSTED,
  PATH_LENGTH_EXCEEDED: UNTRUSTED,
  CERT_NOT_YET_VALID: EXPIRED,
  CERT_HAS_EXPIRED: EXPIRED,
  HOSTNAME_MISMATCH: OTHER_NAME,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_NAME,
  EPROTO: OTHER,
}

/** Words of `pg`, which has no code for them. */
const NO_TLS = 'The server does not support SSL connections'

/** Cause and remedy; undefined when it is no error of TLS. */
export function adviceOnTls(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === NO_TLS)
    return 'the server has no TLS: turn it on there, or connect without it by sslmode=disable'
  const code = 'code' in error ? String(error.code) : ''
  return OF_CERTIFICATES[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? OTHER : undefined)
}
