/** Settings of the connection to one address: headers and certificates (O-20). */
import type { ExtraHeaders } from './extra-headers.ts'

export interface ConnectionSettings {
  /** Names are in lower case. Every call has these headers. */
  readonly headers?: ExtraHeaders
  /** CA certificates in PEM. They replace the public authorities. */
  readonly ca?: string
  /** In PEM, with its chain. */
  readonly certificate?: string
  /** Private key of the certificate, in PEM. */
  readonly key?: string
}

/** For the audit log: names of headers, and masked secrets. */
export function logConnection({ headers, ...pems }: ConnectionSettings) {
  const changed = Object.entries({ values: headers, ...pems }).filter(([, secret]) => secret !== undefined)
  if (changed.length === 0) return {}
  const masked = Object.fromEntries(changed.map(([name, secret]) => [name, { secret }]))
  return { connection: { ...(headers !== undefined && { headers: Object.keys(headers) }), ...masked } }
}

export function tlsOptionsOf({ ca, certificate, key }: ConnectionSettings) {
  return {
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  }
}
