/** The span of a request, where tracing is on: begun with it, known to what answers it. */
import type { FastifyRequest } from 'fastify'
import type { Attributes, Span, Tracing } from '../../../runtime/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where tracing is off. */
    span: Span | undefined
  }
}

/** Named after its route, not after its path, which names players. */
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
