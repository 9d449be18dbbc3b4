/** The partner wire of the gateway, towards the platform: which handler, what the metrics and the log say of a call. */
import type { Journal } from '../feed/journal.ts'
import { endSpan } from '../http/span.ts'
import { isWorthALine, Strangers } from '../http/strangers.ts'
import { type Entrance, registerWire, type Seen } from '../http/wire.ts'
import { LIMITS } from '../protocol/limits.ts'
import { failed, refused } from '../protocol/reply.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Span, Tracing } from '../runtime/tracing.ts'
import type { CallerRefusals } from '../wallet-client/caller-refused.ts'
import type { Call } from './call.ts'
import { type CallDeps, type Handled, handleCall } from './handle-call.ts'
import type { GatewayMetrics } from './metrics.ts'

export interface WireDeps extends CallDeps {
  readonly journal: Journal
  readonly metrics: GatewayMetrics
  readonly log: Logger
  readonly refusals: CallerRefusals
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
  readonly tracing: Tracing | undefined
}

export function registerCalls(entrance: Entrance, deps: WireDeps): Promise<void> {
  const unsigned = new Strangers()
  return registerWire<Handled>(entrance, {
    handle: (endpoint, request) => handleCall(deps, endpoint, request),
    unreadable: (detail) => ({ reply: refused('invalid_request', detail), outcome: 'invalid_request' }),
    broken(error, operation) {
      deps.onFailure(error)
      return { reply: failed(operation), outcome: 'failed' }
    },
    onFailure: deps.onFailure,
    answered: (handled, seen) => tell(deps, unsigned, handled, seen),
    isDraining: deps.isDraining,
    tracing: deps.tracing,
  })
}

function tell(
  { metrics, log, journal, refusals, clock }: WireDeps,
  unsigned: Strangers,
  handled: Handled,
  seen: Seen,
): void {
  const { outcome, call, operatorId, detail, reply, signer, sentAt, endedAt } = handled
  const { source, body, arrivalMs, totalMs, readAt } = seen
  if (outcome === 'gateway_refused') refusals.add(`${operatorId}`, `${detail}`, clock.now())
  if (seen.span !== undefined) endCall(seen.span, handled)
  metrics.called(operatorId ?? 'none', outcome, totalMs / 1_000)
  const isLogged = log.isLevelEnabled('info')
  if (!isLogged && !journal.isOn) return
  const names = namesOf(handled)
  // Written out: objects that are spread into each other cost more than all the rest of this.
  if (journal.isOn)
    journal.add({
      source,
      operation: names?.operation ?? 'unknown',
      outcome,
      player: names?.player,
      betId: names?.betId,
      requestId: names?.requestId,
      secret: signer,
      body,
      status: reply.status,
      answer: reply.body,
      token: call?.token,
      arrivalMs,
      workMs: totalMs - arrivalMs,
      queueMs: sentAt && sentAt - readAt,
      behindMs: sentAt && endedAt && endedAt - sentAt,
      ageMs: totalMs,
    })
  if (!isLogged || (signer === undefined && !isWorthALine(unsigned.note(source)))) return
  const ms = Math.trunc(totalMs * 10) / 10
  const { status } = reply
  const { traceId: trace_id, spanId: span_id } = seen.span ?? {}
  log.info({ ...names, operator: operatorId, outcome, status, detail, ms, trace_id, span_id }, 'call')
}

function endCall(span: Span, handled: Handled): void {
  const { outcome, operatorId, reply } = handled
  const names = namesOf(handled)
  endSpan(span, reply.status, {
    'purser.operation': names?.operation,
    'purser.outcome': outcome,
    'purser.operator': operatorId,
    'purser.bet_id': names?.betId,
    'purser.request_id': names?.requestId,
  })
}

function namesOf({ call, said }: Handled) {
  if (call !== undefined) return namesIn(call)
  return said && { operation: 'unknown', requestId: said.requestId, betId: said.transactionId, player: said.userId }
}

/** Never the token. */
function namesIn({ operation, body, userId }: Call) {
  const { requestId, transactionId } = body
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined)
  return { operation, requestId: text(requestId), betId: text(transactionId), player: text(userId) }
}
