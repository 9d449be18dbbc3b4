/** The platform API over HTTP. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../http/api.ts'
import type { Logger } from '../logger.ts'
import type { PlaceDeps } from './place.ts'
import { addRoutes } from './routes.ts'
import { refuseUnstorable } from './storable.ts'

export interface PlatformServerDeps extends PlaceDeps {
  readonly apiKey: string
  readonly log: Logger
}

export async function registerPlatform(app: FastifyInstance, deps: PlatformServerDeps): Promise<void> {
  const { apiKey, log } = deps
  await registerApi(app, { prefix: '', apiKey, keyName: 'PLATFORM_API_KEY', log }, (api) => {
    refuseUnstorable(api)
    addRoutes(api, deps)
  })
}
