/** HTTP of the partner wire, towards the platform: a wallet's routes. A body stays bytes both ways. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptAnyBody, toWire } from '../http/raw-body.ts'
import type { Logger } from '../logger.ts'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import type { Call, Endpoint } from './call.ts'
import { type CallDeps, type Handled, handleCall } from './handle-call.ts'
import type { GatewayMetrics } from './metrics.ts'
import { failed, refused } from './reply.ts'

export interface WireDeps extends CallDeps {
  readonly metrics: GatewayMetrics
  readonly log: Logger
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
}

/** Registers the calls of the interface. Encapsulated: its body parser and error handler reach no other route. */
export async function registerWire(app: FastifyInstance, deps: WireDeps): Promise<void> {
  await app.register(async (wire) => {
    acceptAnyBody(wire)
    wire.addHook('onResponse', async () => {}) // without one, Fastify's reply.elapsedTime is always 0
    wire.setErrorHandler((error: FastifyError, request, reply) =>
      finish(deps, reply, handleError(deps, error, request)),
    )
    const answer = (endpoint: Endpoint) => async (request: FastifyRequest, reply: FastifyReply) => {
      const arrivedAt = performance.now() - reply.elapsedTime // before the body, which may have taken its time
      finish(deps, reply, await handleCall(deps, endpoint, toWire(request), arrivedAt))
      return reply
    }
    wire.post(OPERATIONS.place.path, answer('bet'))
    wire.put(OPERATIONS.settle.path, answer('bet'))
    for (const endpoint of ['profile', 'balance', 'check'] as const)
      wire.post(OPERATIONS[endpoint].path, answer(endpoint))
  })
}

function finish(deps: WireDeps, reply: FastifyReply, handled: Handled): void {
  const { outcome, call, operatorId, detail, reply: answer } = handled
  const milliseconds = reply.elapsedTime
  if (deps.isDraining()) reply.header('connection', 'close')
  deps.metrics.called(operatorId ?? 'none', outcome, milliseconds / 1_000)
  if (deps.log.isLevelEnabled('info')) {
    const { status } = answer
    const ms = Math.trunc(milliseconds * 10) / 10
    deps.log.info({ ...(call && namesIn(call)), operator: operatorId, outcome, status, detail, ms }, 'call')
  }
  void reply
    .code(answer.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(answer.body)
}

/** Never the token. */
function namesIn({ operation, body, userId }: Call): object {
  const { requestId, transactionId } = body
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined)
  return { operation, requestId: text(requestId), betId: text(transactionId), player: text(userId) }
}

/** A request that Fastify could not read is code 5; anything else that is thrown is a bug or a broken dependency. */
function handleError(deps: WireDeps, error: FastifyError, { method, routeOptions }: FastifyRequest): Handled {
  const { statusCode = 500 } = error
  if (statusCode === 413) return malformed(`the body is larger than ${LIMITS.bodyBytes} bytes`)
  if (statusCode < 500) return malformed('the body cannot be read')
  deps.onFailure(error)
  const isPlace = method === OPERATIONS.place.method && routeOptions.url === OPERATIONS.place.path
  return { reply: failed(isPlace ? 'place' : 'settle'), outcome: 'failed' }
}

function malformed(detail: string): Handled {
  return { reply: refused('invalid_request', detail), outcome: 'invalid_request' }
}
