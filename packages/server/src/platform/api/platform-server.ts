/** HTTP server of the platform API. */

import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../../core/http/api/api.ts'
import type { ApiMetrics } from '../../core/observability/api-metrics.ts'
import { partnerScopes } from './partner-key-scopes.ts'
import { addPlatformRoutes, type PlatformRouteDeps } from './platform-routes.ts'

/** Enough for an event with all its outcomes. */
const BODY_BYTES = 256 * 1024

export interface PlatformServerDeps extends PlatformRouteDeps {
  readonly apiCalls: ApiMetrics
  readonly log: Logger
}

export async function registerPlatform(app: FastifyInstance, deps: PlatformServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '', admission, bodyBytes: BODY_BYTES, log, calls, scopes: partnerScopes(deps) }
  await registerApi(app, own, (api) => addPlatformRoutes(api, deps))
}
