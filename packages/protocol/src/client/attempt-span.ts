/**
 * Trace span of one attempt to call a wallet. The header `traceparent` lets the wallet continue the
 * trace.
 */

import type { Span, SpanStart, Tracing } from '@purser/runtime/tracing'
import type { Operation } from '../operation.ts'
import type { AttemptTrace } from './wallet-client.ts'

export function beginAttemptSpan(
  tracing: Tracing,
  operation: Operation,
  betId: string | undefined,
  { below: parent, attributes }: AttemptTrace = {},
): Span {
  const begin: SpanStart = {
    kind: 'client',
    attributes: { 'purser.operation': operation, 'purser.bet_id': betId, ...attributes },
  }
  const name = `call ${operation}`
  return parent === undefined ? tracing.begin(name, begin) : parent.child(name, begin)
}

/** `status`: null if no answer arrived. */
export function endAttemptSpan(span: Span, status: number | null, outcome: string): void {
  const attributes = { 'http.response.status_code': status ?? undefined, 'purser.outcome': outcome }
  span.end({ attributes, failed: status === null || status >= FIRST_SERVER_ERROR })
}

const FIRST_SERVER_ERROR = 500
