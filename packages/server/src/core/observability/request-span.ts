/** The trace span of a request, which handlers can read. */

import type { Attributes, Span, Tracing } from '@purser/runtime/tracing'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if tracing is off. */
    span: Span | undefined
  }
}

/** The span is named after its route, because a path contains the ids of players. */
export function beginSpan(
  tracing: Tracing,
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  route = 'none',
  at?: number,
): Span {
  const attributes = { 'http.request.method': method, 'http.route': route }
  return tracing.begin(`${method} ${route}`, { kind: 'server', attributes, ...(at !== undefined && { at }) }, headers)
}

const FIRST_SERVER_ERROR = 500

export function endSpan(span: Span, status: number, attributes: Attributes = {}, failed = false): void {
  span.end({
    attributes: { 'http.response.status_code': status, ...attributes },
    failed: failed || status >= FIRST_SERVER_ERROR,
  })
}
