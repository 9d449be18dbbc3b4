/** Registration of the operator API on the HTTP server. */

import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../../core/http/api/api.ts'
import type { ApiMetrics } from '../../core/observability/api-metrics.ts'
import { createBrandScopes } from './brand-scopes.ts'
import { addOperatorRoutes, type OperatorRouteDeps } from './operator-routes.ts'

/** Body limit; a player with all members uses a quarter. */
const BODY_BYTES = 64 * 1024

export interface OperatorServerDeps extends OperatorRouteDeps {
  readonly apiCalls: ApiMetrics
  readonly log: Logger
}

export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '/operator', admission, bodyBytes: BODY_BYTES, log, calls, scopes: createBrandScopes(deps) }
  await registerApi(app, own, (api) => addOperatorRoutes(api, deps))
}
