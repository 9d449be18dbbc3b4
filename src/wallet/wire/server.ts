/** The partner wire of the wallet: which handler, what the API reference, the metrics and the log say of a call. */
import { type TSchema, Type } from 'typebox'
import type { Journal } from '../../feed/journal.ts'
import { isWorthALine, Strangers } from '../../http/strangers.ts'
import { type Entrance, registerWire, type Seen } from '../../http/wire.ts'
import { BET_SCHEMAS, CheckSchema } from '../../protocol/bet-request.ts'
import { BetReplySchema, CheckReplySchema, ErrorReplySchema } from '../../protocol/reply.ts'
import {
  BalanceReplySchema,
  BalanceRequestSchema,
  ProfileRequestSchema,
  UserProfileSchema,
} from '../../protocol/user-profile.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Tracing } from '../../runtime/tracing.ts'
import type { WalletMetrics } from '../metrics.ts'
import { type CallDeps, type Handled, handleBetCall, handleUserCall } from './handle-call.ts'
import { failed, refused } from './reply.ts'
import { endCall } from './spans.ts'

export interface WireServerDeps extends CallDeps {
  readonly journal: Journal
  readonly metrics: WalletMetrics
  readonly log: Logger
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
  readonly tracing: Tracing | undefined
}

export function registerCalls(entrance: Entrance, deps: WireServerDeps): Promise<void> {
  const unsigned = new Strangers()
  return registerWire<Handled>(entrance, {
    schemas: WIRE_SCHEMAS,
    handle: (endpoint, request) =>
      endpoint === 'bet' ? handleBetCall(deps, request) : handleUserCall(deps, endpoint, request),
    unreadable: (detail) => ({ reply: refused('invalid_request', detail), operation: 'unknown' }),
    broken(error, operation) {
      deps.onFailure(error)
      return { reply: failed(operation), operation: 'unknown' }
    },
    onFailure: deps.onFailure,
    answered: (handled, seen) => tell(deps, unsigned, handled, seen),
    isDraining: deps.isDraining,
    tracing: deps.tracing,
  })
}

const { settle, unsettle, rollback } = BET_SCHEMAS
const WIRE_SCHEMAS = {
  place: describe('placeBet', 'Place bet: debits the stake', BET_SCHEMAS.place, BetReplySchema),
  change: describe(
    'changeBet',
    'Settle (type 2), Unsettle (type 1), Rollback (type 3)',
    Type.Unsafe({ oneOf: [settle, unsettle, rollback] }),
    BetReplySchema,
  ),
  profile: describe('readProfile', "User data: the token's player", ProfileRequestSchema, UserProfileSchema),
  balance: describe('readBalance', 'Balance in one currency', BalanceRequestSchema, BalanceReplySchema),
  check: describe('checkBet', 'The last applied operation of a bet', CheckSchema, CheckReplySchema),
}

function describe(operationId: string, summary: string, body: TSchema, ok: TSchema) {
  const failing = operationId === 'placeBet' ? {} : { 500: ErrorReplySchema }
  const response = { 200: ok, 400: ErrorReplySchema, ...failing }
  return { operationId, summary, tags: ['Partner wire'], security: [{ partnerSignature: [] }], body, response }
}

function tell(
  { metrics, log, journal, platforms }: WireServerDeps,
  unsigned: Strangers,
  handled: Handled,
  seen: Seen,
): void {
  const { reply, operation, call, signer, batch, asked = batch } = handled
  const { totalMs, arrivalMs } = seen
  if (seen.span !== undefined) endCall(seen.span, handled, seen)
  metrics.called(operation, reply.outcome, totalMs / 1_000)
  // Written out: objects that are spread into each other cost more than all the rest of this.
  if (journal.isOn)
    journal.add({
      source: seen.source,
      operation,
      outcome: reply.outcome,
      player: call?.player,
      betId: call?.betId,
      requestId: call?.requestId,
      secret: signer,
      platform: signer === undefined ? undefined : platforms[signer],
      body: seen.body,
      status: reply.status,
      answer: reply.body,
      arrivalMs,
      workMs: totalMs - arrivalMs,
      queueMs: asked && asked.takenAt - seen.readAt,
      behindMs: asked && asked.endedAt - asked.takenAt,
      batch: batch?.id,
      ageMs: totalMs,
    })
  if (!log.isLevelEnabled('info')) return
  if (signer === undefined && !isWorthALine(unsigned.note(seen.source))) return
  const { requestId, betId, player } = call ?? {}
  const ms = Math.trunc(totalMs * 10) / 10
  const { traceId: trace_id, spanId: span_id } = seen.span ?? {}
  log.info({ operation, outcome: reply.outcome, requestId, betId, player, ms, trace_id, span_id }, 'call')
}
