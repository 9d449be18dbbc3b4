/**
 * The gateway's HTTP paths that the platform calls, with a metric, a journal entry and a log line
 * for each call.
 */

import type { CallerRefusals } from '@purser/protocol/client/caller-refusals'
import { LIMITS } from '@purser/protocol/wire-limits'
import { createFailure, createRefusal } from '@purser/protocol/wire-reply'
import { toLoggedMs } from '@purser/runtime/logged-duration'
import type { Logger } from '@purser/runtime/logger'
import type { Span, Tracing } from '@purser/runtime/tracing'
import type { CallJournal } from '../../core/call-journal/call-journal.ts'
import { FailedAuthThrottle, shouldLog } from '../../core/http/auth-throttle.ts'
import { endSpan } from '../../core/observability/request-span.ts'
import type { WireServer } from '../../core/partner-wire/call-server.ts'
import { type CallMetadata, registerWire } from '../../core/partner-wire/partner-wire.ts'
import type { GatewayMetrics } from '../gateway-metrics.ts'
import type { GatewayCall } from './gateway-call.ts'
import { type GatewayCallDeps, type GatewayCallResult, handleGatewayCall } from './gateway-call-handler.ts'

export interface GatewayWireDeps extends GatewayCallDeps {
  readonly journal: CallJournal
  readonly metrics: GatewayMetrics
  readonly log: Logger
  readonly refusals: CallerRefusals
  readonly tracing: Tracing | undefined
}

export function registerGatewayWire(server: WireServer, deps: GatewayWireDeps): Promise<void> {
  const unsignedCalls = new FailedAuthThrottle()
  return registerWire<GatewayCallResult>(server, {
    handle: (endpoint, request) => handleGatewayCall(deps, endpoint, request),
    handleUnreadable: (detail) => ({ reply: createRefusal('invalid_request', detail), outcome: 'invalid_request' }),
    handleError(error, operation) {
      deps.onFailure(error)
      return { reply: createFailure(operation), outcome: 'failed' }
    },
    onFailure: deps.onFailure,
    onAnswered: (handled, metadata) => recordCall(deps, unsignedCalls, handled, metadata),
    tracing: deps.tracing,
  })
}

function recordCall(
  { metrics, log, journal, refusals, clock }: GatewayWireDeps,
  unsignedCalls: FailedAuthThrottle,
  handled: GatewayCallResult,
  metadata: CallMetadata,
): void {
  const { outcome, call, operatorId, detail, reply, signer, sentAt, endedAt } = handled
  const { source, body, arrivalMs, totalMs, readAt } = metadata
  if (outcome === 'gateway_refused') refusals.add(`${operatorId}`, `${detail}`, clock.now())
  if (metadata.span !== undefined) endCallSpan(metadata.span, handled)
  metrics.recordCall(operatorId ?? 'none', outcome, totalMs / 1_000)
  const isLogged = log.isLevelEnabled('info')
  if (!isLogged && !journal.isOn) return
  const names = describeCall(handled)
  // Written out: spreading objects costs more than all else here.
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
      executionMs: sentAt && endedAt && endedAt - sentAt,
      ageMs: totalMs,
    })
  if (!isLogged || (signer === undefined && !shouldLog(unsignedCalls.recordFailure(source)))) return
  const ms = toLoggedMs(totalMs)
  const { status } = reply
  const { traceId: trace_id, spanId: span_id } = metadata.span ?? {}
  log.info({ ...names, operator: operatorId, outcome, status, detail, ms, trace_id, span_id }, 'call')
}

function endCallSpan(span: Span, handled: GatewayCallResult): void {
  const { outcome, operatorId, reply } = handled
  const names = describeCall(handled)
  endSpan(span, reply.status, {
    'purser.operation': names?.operation,
    'purser.outcome': outcome,
    'purser.operator': operatorId,
    'purser.bet_id': names?.betId,
    'purser.request_id': names?.requestId,
  })
}

function describeCall({ call, callIds }: GatewayCallResult) {
  if (call !== undefined) return extractCallNames(call)
  return (
    callIds && {
      operation: 'unknown',
      requestId: callIds.requestId,
      betId: callIds.transactionId,
      player: callIds.userId,
    }
  )
}

/** Never contains the token. */
function extractCallNames({ operation, body, userId }: GatewayCall) {
  const { requestId, transactionId } = body
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined)
  return { operation, requestId: text(requestId), betId: text(transactionId), player: text(userId) }
}
