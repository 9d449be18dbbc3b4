/** Trace span of a call, with its waiting time, its batch and its outcome. */

import type { Span } from '@purser/runtime/tracing'
import { endSpan } from '../../core/observability/request-span.ts'
import type { CallMetadata } from '../../core/partner-wire/partner-wire.ts'
import type { WalletCallResult } from './wallet-call-handler.ts'

/**
 * The batch is a child of one of its calls; each other call has a span that is linked to the batch.
 */
export function endCallSpan(
  span: Span,
  { reply, operation, call, batch }: WalletCallResult,
  { readAt }: CallMetadata,
): void {
  if (batch !== undefined) {
    span.child('queue', { at: readAt }).end({ at: batch.beganAt })
    const { trace, beganAt: at, endedAt } = batch
    if (trace !== undefined && trace.parent !== span)
      span.child('in a batch', { at, links: [trace.span] }).end({ at: endedAt })
  }
  const attributes = {
    'purser.operation': operation,
    'purser.outcome': reply.outcome,
    'purser.bet_id': call?.betId,
    'purser.request_id': call?.requestId,
  }
  endSpan(span, reply.status, attributes, reply.outcome === 'system_error')
}
