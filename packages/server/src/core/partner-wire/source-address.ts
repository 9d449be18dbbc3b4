/**
 * The source of a request: the address of the other end of its connection, or the address that a
 * trusted proxy names.
 *
 * The journal, the log and the throttles use it. No right depends on it (O-16).
 */
import type { IncomingHttpHeaders } from 'node:http'
import { containsAddress, normalizeAddress, toNetworks } from '@purser/runtime/network/ip-networks'

declare module 'fastify' {
  interface FastifyRequest {
    readonly source: string
  }
}

export interface SourceRequest {
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Empty if the connection was closed before its address was read. */
export type ResolveSource = (request: SourceRequest) => string

/** Some proxies add a port, and then brackets around an IPv6 address. */
const ENDPOINT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/

/** `trustedProxies` are networks. If the list is empty, no header is read. */
export function createSourceResolver(trustedProxies: readonly string[] = []): ResolveSource {
  const trusted = toNetworks(trustedProxies)
  return ({ headers, socket }) => {
    let source = normalizeAddress(socket.remoteAddress ?? '') ?? ''
    if (trustedProxies.length === 0) return source
    // Each proxy appends its caller's address, so only the end of the list can be trusted.
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
