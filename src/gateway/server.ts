/** The gateway over HTTP: a wallet towards the platform, and an API of its own. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../http/api.ts'
import { type ApiDeps, addRoutes } from './routes.ts'
import { registerWire, type WireDeps } from './wire.ts'

export interface GatewayServerDeps extends WireDeps, ApiDeps {
  readonly apiKey: string
}

export async function registerGateway(app: FastifyInstance, deps: GatewayServerDeps): Promise<void> {
  const { apiKey, log } = deps
  await registerWire(app, deps)
  await registerApi(app, { prefix: '', apiKey, keyName: 'GATEWAY_API_KEY', log }, (api) => addRoutes(api, deps))
}
