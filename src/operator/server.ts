/** The operator's own API over HTTP. */
import type { FastifyInstance } from 'fastify'
import { registerApi } from '../http/api.ts'
import type { Logger } from '../logger.ts'
import { addRoutes, type RouteDeps } from './routes.ts'

export interface OperatorServerDeps extends RouteDeps {
  readonly apiKey: string
  readonly log: Logger
}

export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  const { apiKey, log } = deps
  await registerApi(app, { prefix: '/operator', apiKey, keyName: 'OPERATOR_API_KEY', log }, (api) =>
    addRoutes(api, deps),
  )
}
