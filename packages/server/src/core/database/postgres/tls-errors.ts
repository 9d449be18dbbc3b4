/** Advice for a failed TLS connection to Postgres. */
import { type TlsFault, tlsFaultOf } from '@purser/runtime/errors/tls-error'

const ADVICE: Readonly<Record<TlsFault, string>> = {
  untrusted:
    'no known CA has signed its certificate: name the file of the CA with sslrootcert=…, or accept any certificate with sslmode=no-verify',
  expired: 'its certificate is not valid today: renew it, or set the clock',
  other_name:
    'its certificate is for another name: connect by a name that it has, or accept any certificate with sslmode=no-verify',
  other: 'client and server do not agree on TLS: compare the TLS settings of the server with the address',
}

/** Message of `pg`, which has no code for it. */
const NO_TLS = 'The server does not support SSL connections'

/** Cause and remedy; undefined for any other error. */
export function findTlsAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === NO_TLS)
    return 'the server has no TLS: turn it on there, or connect without it by sslmode=disable'
  const fault = tlsFaultOf(error)
  return fault && ADVICE[fault]
}
