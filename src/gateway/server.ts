/** The gateway over HTTP: a wallet towards the platform, and an API of its own. */
import type { Admission } from '../http/admission.ts'
import { registerApi } from '../http/api.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import type { HttpApp } from '../http/app.ts'
import { OPERATOR_SCOPES } from './key-scopes.ts'
import { type ApiDeps, addRoutes } from './routes.ts'
import { registerCalls, type WireDeps } from './wire.ts'

/** Every path of the gateway's own API; any other one that does not exist is a wallet's plain 404. */
export const API_PREFIX = '/operators'

/** An operator's address and secret are a thirtieth of it. */
const BODY_BYTES = 64 * 1024

export interface GatewayServerDeps extends WireDeps, ApiDeps {
  readonly admission: Admission
  readonly apiCalls: ApiCalls
}

export async function registerGateway(entrance: HttpApp, deps: GatewayServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  await registerCalls(entrance, deps)
  const own = { prefix: API_PREFIX, admission, bodyBytes: BODY_BYTES, log, calls, scopes: OPERATOR_SCOPES }
  await registerApi(entrance.app, own, (api) => addRoutes(api, deps))
}
