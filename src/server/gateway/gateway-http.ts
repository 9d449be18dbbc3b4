/** The gateway over HTTP: a wallet towards the platform, and an API of its own. */

import { registerApi } from '../core/http/api/api.ts'
import type { Authenticator } from '../core/http/api/authentication.ts'
import type { HttpApp } from '../core/http/http-app.ts'
import type { ApiMetrics } from '../core/observability/api-metrics.ts'
import { addGatewayRoutes, type GatewayApiDeps } from './gateway-routes.ts'
import { OPERATOR_SCOPES } from './operators/operator-key-scopes.ts'
import { type GatewayWireDeps, registerGatewayWire } from './wire/gateway-wire.ts'

/** Every path of the gateway's own API; any other one that does not exist is a wallet's plain 404. */
export const GATEWAY_API_PREFIX = '/operators'

/** An operator's address and secret are a thirtieth of it. */
const BODY_BYTES = 64 * 1024

export interface GatewayServerDeps extends GatewayWireDeps, GatewayApiDeps {
  readonly admission: Authenticator
  readonly apiCalls: ApiMetrics
}

export async function registerGateway(http: HttpApp, deps: GatewayServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  await registerGatewayWire(http, deps)
  const own = { prefix: GATEWAY_API_PREFIX, admission, bodyBytes: BODY_BYTES, log, calls, scopes: OPERATOR_SCOPES }
  await registerApi(http.app, own, (api) => addGatewayRoutes(api, deps))
}
