/**
 * The source of a request: the other end of its connection, or the address that a trusted proxy names.
 *
 * The journal, the log and throttling use it. No right depends on it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { containsAddress, normalizeAddress, toNetworks } from '../../../runtime/network/ip-networks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    readonly source: string
  }
}

/** The request of Node's server, or as much of it as is known. */
export interface SourceRequest {
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Empty when there is no address: the connection was gone before anything asked for it. */
export type ResolveSource = (request: SourceRequest) => string

/** Ports, which some proxies add, and the brackets that IPv6 needs then. */
const ENDPOINT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/

/** `trustedProxies` are networks. With none of them no header is read. */
export function createSourceResolver(trustedProxies: readonly string[] = []): ResolveSource {
  const trusted = toNetworks(trustedProxies)
  return ({ headers, socket }) => {
    let source = normalizeAddress(socket.remoteAddress ?? '') ?? ''
    if (trustedProxies.length === 0) return source
    // Each proxy appends the address that called it, so only the end of the list is known to be true.
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    while (source !== '' && containsAddress(trusted, source)) {
      const hop = (hops.pop() ?? '').trim().replace(ENDPOINT, '$1$2')
      const previous = normalizeAddress(hop)
      if (previous === undefined) break
      source = previous
    }
    return source
  }
}
