/** The platform API over HTTP. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../../http/api.ts'
import type { Logger } from '../../runtime/logger.ts'
import { addRoutes, type RouteDeps } from './routes.ts'
import { refuseUnstorable } from './storable.ts'

/** Of an event with all its outcomes. */
const BODY_BYTES = 256 * 1024

export interface PlatformServerDeps extends RouteDeps {
  readonly apiKey: string
  readonly log: Logger
}

export async function registerPlatform(app: FastifyInstance, deps: PlatformServerDeps): Promise<void> {
  const { apiKey, log } = deps
  const own = { prefix: '', apiKey, keyName: 'PLATFORM_API_KEY', bodyBytes: BODY_BYTES, log }
  await registerApi(app, own, (api) => {
    refuseUnstorable(api)
    addRoutes(api, deps)
  })
}
