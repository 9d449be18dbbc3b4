/** HTTP of the partner wire. A body stays bytes until its signature is verified; a refusal is 400, whatever it is. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { acceptAnyBody, toWire } from '../http/raw-body.ts'
import type { Logger } from '../logger.ts'
import { BET_SCHEMAS, CheckSchema } from '../protocol/bet-request.ts'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import { BetReplySchema, CheckReplySchema, ErrorReplySchema } from '../protocol/reply.ts'
import {
  BalanceReplySchema,
  BalanceRequestSchema,
  ProfileRequestSchema,
  UserProfileSchema,
} from '../protocol/user-profile.ts'
import { type CallDeps, type Handled, handleBetCall, handleUserCall } from './handle-call.ts'
import type { WalletMetrics } from './metrics.ts'
import { failed, type Reply, refused } from './reply.ts'
import { inTurn } from './turns.ts'

export interface WireServerDeps extends CallDeps {
  readonly metrics: WalletMetrics
  readonly log: Logger
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
}

/** Registers the calls of the interface. Encapsulated: its body parser and error handler reach no other route. */
export async function registerWire(app: FastifyInstance, deps: WireServerDeps): Promise<void> {
  await app.register(async (wire) => {
    acceptAnyBody(wire)
    onlyDescribe(wire)
    wire.setErrorHandler((error: FastifyError, request, reply) => {
      const handled = { reply: replyToError(deps, error, request), operation: 'unknown' } as const
      finish(deps, reply, handled, performance.now() - reply.elapsedTime)
    })
    /** Fastify's way with promises would wait for each reply to be sent; this path is the hot one. */
    const bet = (request: FastifyRequest, reply: FastifyReply) => {
      const arrivedAt = performance.now()
      inTurn(() => {
        handleBetCall(deps, toWire(request), arrivedAt).then(
          (handled) => finish(deps, reply, handled, arrivedAt),
          (error) => reply.send(error),
        )
      })
    }
    wire.post(OPERATIONS.place.path, { schema: WIRE_SCHEMAS.place }, bet)
    wire.put(OPERATIONS.settle.path, { schema: WIRE_SCHEMAS.change }, bet)
    for (const operation of ['profile', 'balance', 'check'] as const) {
      wire.post(OPERATIONS[operation].path, { schema: WIRE_SCHEMAS[operation] }, async (request, reply) => {
        const arrivedAt = performance.now()
        finish(deps, reply, await handleUserCall(deps, operation, toWire(request), arrivedAt), arrivedAt)
        return reply
      })
    }
  })
}

/** The schemas below are for the API reference. Bodies stay bytes both ways: Fastify checks and renders nothing. */
function onlyDescribe(wire: FastifyInstance): void {
  wire.setValidatorCompiler(() => () => true)
  wire.setSerializerCompiler(() => (body) => body)
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

function finish(
  deps: WireServerDeps,
  reply: FastifyReply,
  { reply: answer, operation, call }: Handled,
  arrivedAt: number,
): void {
  const milliseconds = performance.now() - arrivedAt
  if (deps.isDraining()) reply.header('connection', 'close')
  deps.metrics.called(operation, answer.outcome, milliseconds / 1_000)
  if (deps.log.isLevelEnabled('info')) {
    const { requestId, betId, player } = call ?? {}
    deps.log.info(
      { operation, outcome: answer.outcome, requestId, betId, player, ms: Math.trunc(milliseconds * 10) / 10 },
      'call',
    )
  }
  send(reply, answer)
}

function send(reply: FastifyReply, { status, body }: Reply): void {
  void reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(body)
}

/** A request that Fastify could not read is code 5; anything else that is thrown is a bug or a broken dependency. */
function replyToError(deps: WireServerDeps, error: FastifyError, request: FastifyRequest): Reply {
  const { statusCode } = error
  if (statusCode === 413) return refused('invalid_request', `the body is larger than ${LIMITS.bodyBytes} bytes`)
  if (statusCode !== undefined && statusCode < 500) return refused('invalid_request', 'the body cannot be read')
  deps.onFailure(error)
  return failed(
    request.method === OPERATIONS.place.method && request.routeOptions.url === OPERATIONS.place.path
      ? 'place'
      : 'settle',
  )
}
