/**
 * Partner wire of the wallet: registers the handlers of calls, their API reference, metrics and
 * log.
 */

import { BET_SCHEMAS, CheckSchema } from '@purser/protocol/bet-request'
import {
  BalanceReplySchema,
  BalanceRequestSchema,
  ProfileRequestSchema,
  UserProfileSchema,
} from '@purser/protocol/user-profile'
import { BetReplySchema, CheckReplySchema, ErrorReplySchema } from '@purser/protocol/wire-reply'
import { toLoggedMs } from '@purser/runtime/logged-duration'
import type { Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import { type TSchema, Type } from 'typebox'
import type { CallJournal } from '../../core/call-journal/call-journal.ts'
import { FailedAuthThrottle, shouldLog } from '../../core/http/auth-throttle.ts'
import type { WireServer } from '../../core/partner-wire/call-server.ts'
import { type CallMetadata, registerWire } from '../../core/partner-wire/partner-wire.ts'
import type { WalletMetrics } from '../wallet-metrics.ts'
import { endCallSpan } from './call-spans.ts'
import { handleBetCall, handleUserCall, type WalletCallDeps, type WalletCallResult } from './wallet-call-handler.ts'
import { failedReply, refusedReply } from './wallet-reply.ts'

export interface WalletWireDeps extends WalletCallDeps {
  readonly journal: CallJournal
  readonly metrics: WalletMetrics
  readonly log: Logger
  readonly tracing: Tracing | undefined
}

export function registerWalletCalls(entrance: WireServer, deps: WalletWireDeps): Promise<void> {
  const unsigned = new FailedAuthThrottle()
  return registerWire<WalletCallResult>(entrance, {
    schemas: WIRE_SCHEMAS,
    handle: (endpoint, request) =>
      endpoint === 'bet' ? handleBetCall(deps, request) : handleUserCall(deps, endpoint, request),
    handleUnreadable: (detail) => ({ reply: refusedReply('invalid_request', detail), operation: 'unknown' }),
    handleError(error, operation) {
      deps.onFailure(error)
      return { reply: failedReply(operation), operation: 'unknown' }
    },
    onFailure: deps.onFailure,
    onAnswered: (result, metadata) => recordCall(deps, unsigned, result, metadata),
    tracing: deps.tracing,
  })
}

const { settle, unsettle, rollback } = BET_SCHEMAS
const WIRE_SCHEMAS = {
  place: describeWireCall('placeBet', 'Place bet: debits the stake', BET_SCHEMAS.place, BetReplySchema),
  change: describeWireCall(
    'changeBet',
    'Settle (type 2), Unsettle (type 1), Rollback (type 3)',
    Type.Unsafe({ oneOf: [settle, unsettle, rollback] }),
    BetReplySchema,
  ),
  profile: describeWireCall('readProfile', "User data: the token's player", ProfileRequestSchema, UserProfileSchema),
  balance: describeWireCall('readBalance', 'Balance in one currency', BalanceRequestSchema, BalanceReplySchema),
  check: describeWireCall('checkBet', 'The last applied operation of a bet', CheckSchema, CheckReplySchema),
}

function describeWireCall(operationId: string, summary: string, body: TSchema, ok: TSchema) {
  // Place bet answers a failure with 400
  const failing = operationId === 'placeBet' ? {} : { 500: ErrorReplySchema }
  const response = { 200: ok, 400: ErrorReplySchema, ...failing }
  return { operationId, summary, tags: ['Partner wire'], security: [{ partnerSignature: [] }], body, response }
}

function recordCall(
  { metrics, log, journal, platforms }: WalletWireDeps,
  unsigned: FailedAuthThrottle,
  result: WalletCallResult,
  metadata: CallMetadata,
): void {
  const { reply, operation, call, signer, batch, executed: times = batch } = result
  const { totalMs, arrivalMs } = metadata
  if (metadata.span !== undefined) endCallSpan(metadata.span, result, metadata)
  metrics.observeCall(operation, reply.outcome, totalMs / 1_000)
  // Object spreads would cost more than the rest of this function.
  if (journal.isOn)
    journal.add({
      source: metadata.source,
      operation,
      outcome: reply.outcome,
      player: call?.player,
      betId: call?.betId,
      requestId: call?.requestId,
      secret: signer,
      platform: signer === undefined ? undefined : platforms[signer],
      body: metadata.body,
      status: reply.status,
      answer: reply.body,
      arrivalMs,
      workMs: totalMs - arrivalMs,
      queueMs: times && times.beganAt - metadata.readAt,
      executionMs: times && times.endedAt - times.beganAt,
      batch: batch?.id,
      ageMs: totalMs,
    })
  if (!log.isLevelEnabled('info')) return
  if (signer === undefined && !shouldLog(unsigned.recordFailure(metadata.source))) return
  const { requestId, betId, player } = call ?? {}
  const ms = toLoggedMs(totalMs)
  const { traceId: trace_id, spanId: span_id } = metadata.span ?? {}
  log.info({ operation, outcome: reply.outcome, requestId, betId, player, ms, trace_id, span_id }, 'call')
}
