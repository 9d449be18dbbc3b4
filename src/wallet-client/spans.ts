/** An attempt to call a wallet as a span. The wallet goes on with it, by the header `traceparent`. */
import type { Operation } from '../protocol/operation.ts'
import type { Begin, Span, Tracing } from '../runtime/tracing.ts'
import type { Traced } from './wallet-client.ts'

export function beginAttempt(
  tracing: Tracing,
  operation: Operation,
  betId: string | undefined,
  { below, attributes }: Traced = {},
): Span {
  const begin: Begin = {
    kind: 'client',
    attributes: { 'purser.operation': operation, 'purser.bet_id': betId, ...attributes },
  }
  const name = `call ${operation}`
  return below === undefined ? tracing.begin(name, begin) : below.child(name, begin)
}

/** `status`: null when none came. */
export function endAttempt(span: Span, status: number | null, outcome: string): void {
  const attributes = { 'http.response.status_code': status ?? undefined, 'purser.outcome': outcome }
  span.end({ attributes, failed: status === null || status >= FIRST_SERVER_ERROR })
}

const FIRST_SERVER_ERROR = 500
