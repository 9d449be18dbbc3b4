/** The partner wire of the gateway, towards the platform: which handler, what the metrics and the log say of a call. */
import type { FastifyInstance } from 'fastify'
import { registerWire } from '../http/wire.ts'
import { LIMITS } from '../protocol/limits.ts'
import { failed, refused } from '../protocol/reply.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Call } from './call.ts'
import { type CallDeps, type Handled, handleCall } from './handle-call.ts'
import type { GatewayMetrics } from './metrics.ts'

export interface WireDeps extends CallDeps {
  readonly metrics: GatewayMetrics
  readonly log: Logger
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
}

export function registerCalls(app: FastifyInstance, deps: WireDeps): Promise<void> {
  return registerWire<Handled>(app, {
    handle: (endpoint, request) => handleCall(deps, endpoint, request),
    unreadable: (detail) => ({ reply: refused('invalid_request', detail), outcome: 'invalid_request' }),
    broken(error, operation) {
      deps.onFailure(error)
      return { reply: failed(operation), outcome: 'failed' }
    },
    answered: (handled, milliseconds) => tell(deps, handled, milliseconds),
    isDraining: deps.isDraining,
  })
}

function tell({ metrics, log }: WireDeps, handled: Handled, milliseconds: number): void {
  const { outcome, call, operatorId, detail, reply } = handled
  metrics.called(operatorId ?? 'none', outcome, milliseconds / 1_000)
  if (!log.isLevelEnabled('info')) return
  const ms = Math.trunc(milliseconds * 10) / 10
  const { status } = reply
  log.info({ ...(call && namesIn(call)), operator: operatorId, outcome, status, detail, ms }, 'call')
}

/** Never the token. */
function namesIn({ operation, body, userId }: Call): object {
  const { requestId, transactionId } = body
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined)
  return { operation, requestId: text(requestId), betId: text(transactionId), player: text(userId) }
}
