/**
 * Remedies for TLS failures. The most frequent cause of a failure is a wrong connection setting
 * (O-20).
 */
import { type TlsFault, tlsFaultOf } from '@purser/runtime/errors/tls-error'

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
