/** Settings of the connection to one address: headers and certificates (O-20). */
import type { ExtraHeaders } from './extra-headers.ts'

export interface ConnectionSettings {
  /** By names in lower case. They are sent with every call. */
  readonly headers?: ExtraHeaders
  /** Authorities in PEM, in place of the public ones. */
  readonly ca?: string
  /** The client certificate in PEM, with its chain. */
  readonly certificate?: string
  /** The private key of the certificate, in PEM. */
  readonly key?: string
}

/** For the action log: the names of headers, and the rest as secrets, which the log masks. */
export function logConnection({ headers, ...pems }: ConnectionSettings) {
  const changed = Object.entries({ values: headers, ...pems }).filter(([, secret]) => secret !== undefined)
  if (changed.length === 0) return {}
  const masked = Object.fromEntries(changed.map(([name, secret]) => [name, { secret }]))
  return { connection: { ...(headers !== undefined && { headers: Object.keys(headers) }), ...masked } }
}

/** As Node's TLS takes them. */
export function tlsOptionsOf({ ca, certificate, key }: ConnectionSettings) {
  return {
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  }
}
