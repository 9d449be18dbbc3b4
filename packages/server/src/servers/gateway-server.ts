/** Wiring of the gateway server: database, partner wire, its own API, health, metrics. */

import { createCallerRefusals } from '@purser/protocol/client/caller-refusals'
import { type Clock, systemClock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { createLogger, type Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import type { FastifyInstance } from 'fastify'
import { createServerAuth } from '../core/auth/server-auth.ts'
import { createCallJournal } from '../core/call-journal/call-journal.ts'
import type { Config } from '../core/config/config.ts'
import { isOutage } from '../core/database/database-errors.ts'
import type { Db } from '../core/database/db.ts'
import { createEncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { checkReadiness } from '../core/database/schema/database-startup.ts'
import { registerApiReference } from '../core/http/api/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../core/http/http-app.ts'
import { createApiMetrics } from '../core/observability/api-metrics.ts'
import { GATEWAY_API_PREFIX, registerGateway } from '../gateway/gateway-http.ts'
import { createGatewayMetrics } from '../gateway/gateway-metrics.ts'
import { createDownstreamCapacity } from '../gateway/operators/downstream-capacity.ts'
import { createOperators } from '../gateway/operators/operators.ts'
import { createPlayerDirectory } from '../gateway/players/player-directory.ts'
import { createCommonMetrics } from './common-metrics.ts'
import { type RunningServer, runServer, type ServerApp } from './server-lifecycle.ts'

export interface ServeGatewayDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** Open; the caller closes it. */
  readonly db?: Db
}

export function serveGateway(config: Config, deps: ServeGatewayDeps = {}): Promise<RunningServer> {
  const { clock = systemClock, log = createLogger(config.logLevel, isOutage) } = deps
  return runServer('gateway', config, {
    log,
    db: deps.db,
    create: (db, tracing) => createGatewayApp(config, { db, clock, log, tracing }),
  })
}

export interface GatewayAppDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly tracing?: Tracing | undefined
  /** Called before the first route, for the OpenAPI document. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with all routes, not listening. `close` finishes accepted calls. */
export async function createGatewayApp(
  { secrets, gatewayKey, encryptionKeys, reach, journalDays, trustedProxies, ...connections }: Config,
  { db, clock, log, tracing, beforeRoutes }: GatewayAppDeps,
): Promise<ServerApp> {
  const operators = createOperators(db, createEncryptionKeyring(encryptionKeys), reach)
  const directory = createPlayerDirectory({ db, clock, key: secrets[0] ?? '' })
  const journal = createCallJournal({ db, clock, log, schema: 'gateway', days: journalDays })
  const metrics = createGatewayMetrics(operators, journal.lost)
  const http = createHttpApp({ apiPrefix: GATEWAY_API_PREFIX, trustedProxies, ...connections })
  const { app, admission } = http
  admission.setDownstreamCapacity(createDownstreamCapacity(operators.clients, () => environment.monotonicNow()))
  app.addHook('onClose', () => journal.stop())
  await beforeRoutes?.(app)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  const refusals = createCallerRefusals(log, 'operator')
  const auth = createServerAuth('gateway', { db, firstKey: gatewayKey, log })
  const apiCalls = createApiMetrics(tracing)
  await registerGateway(http, {
    ...{ secrets, directory, operators, clock, onFailure, metrics, journal, log, db, refusals },
    ...{ ...auth, apiCalls, tracing, reach },
  })
  registerHealth(http, () => checkReadiness(db, 'gateway'), [...createCommonMetrics(db, auth, apiCalls), metrics])
  registerApiReference(app, 'gateway')
  const close = async () => {
    await closeApp(app)
    await operators.close()
  }
  return { app, close }
}
