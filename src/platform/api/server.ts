/** The platform API over HTTP. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../../http/api.ts'
import type { ApiCalls } from '../../http/api-calls.ts'
import type { Logger } from '../../runtime/logger.ts'
import { partnerScopes } from './key-scopes.ts'
import { addRoutes, type RouteDeps } from './routes.ts'

/** Of an event with all its outcomes. */
const BODY_BYTES = 256 * 1024

export interface PlatformServerDeps extends RouteDeps {
  readonly apiCalls: ApiCalls
  readonly log: Logger
}

export async function registerPlatform(app: FastifyInstance, deps: PlatformServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '', admission, bodyBytes: BODY_BYTES, log, calls, scopes: partnerScopes(deps) }
  await registerApi(app, own, (api) => addRoutes(api, deps))
}
