/** The operator's own API over HTTP. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../http/api.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import type { Logger } from '../runtime/logger.ts'
import { brandScopes } from './key-scopes.ts'
import { addRoutes, type RouteDeps } from './routes.ts'

/** A player with all its fields is a quarter of it. */
const BODY_BYTES = 64 * 1024

export interface OperatorServerDeps extends RouteDeps {
  readonly apiCalls: ApiCalls
  readonly log: Logger
}

export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '/operator', admission, bodyBytes: BODY_BYTES, log, calls, scopes: brandScopes(deps) }
  await registerApi(app, own, (api) => addRoutes(api, deps))
}
