/**
 * HTTP server of the gateway. It has the paths of a wallet, which the platform calls, and the
 * gateway's own API.
 */

import { registerApi } from '../core/http/api/api.ts'
import type { Authenticator } from '../core/http/api/authentication.ts'
import type { KeyScopes, ScopeOwner } from '../core/http/api/key-scope.ts'
import type { HttpApp } from '../core/http/http-app.ts'
import type { ApiMetrics } from '../core/observability/api-metrics.ts'
import { addGatewayRoutes, type GatewayApiDeps } from './gateway-routes.ts'
import { type GatewayWireDeps, registerGatewayWire } from './wire/gateway-wire.ts'

/** Prefix of the own API. Other unknown paths get a wallet's plain 404. */
export const GATEWAY_API_PREFIX = '/operators'

/** Thirty times an operator's address and secret. */
const BODY_BYTES = 64 * 1024

export interface GatewayServerDeps extends GatewayWireDeps, GatewayApiDeps {
  readonly admission: Authenticator
  readonly apiCalls: ApiMetrics
}

/** Scope of an API key that is limited to one operator (W-25). */
const operatorOwner: ScopeOwner = { part: 'params', member: 'operatorId' }

const OPERATOR_SCOPES: KeyScopes = {
  owners: { changeOperator: operatorOwner, exchangeToken: operatorOwner },
  findOwner: async () => undefined,
}

export async function registerGateway(http: HttpApp, deps: GatewayServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  await registerGatewayWire(http, deps)
  const own = { prefix: GATEWAY_API_PREFIX, admission, bodyBytes: BODY_BYTES, log, calls, scopes: OPERATOR_SCOPES }
  await registerApi(http.app, own, (api) => addGatewayRoutes(api, deps))
}
