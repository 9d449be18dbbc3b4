/** Wiring of the gateway server: database, partner wire, its own API, health, metrics. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../db/open.ts'
import { prepareDb } from '../db/prepare.ts'
import { missingRights } from '../db/rights.ts'
import { createDirectory } from '../gateway/directory.ts'
import { createGatewayMetrics } from '../gateway/metrics.ts'
import { createOperators } from '../gateway/operators.ts'
import { API_PREFIX, registerGateway } from '../gateway/server.ts'
import { registerApiReference } from '../http/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../http/app.ts'
import { createActionLog } from '../people/actions.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import { VERSION } from '../runtime/version.ts'
import type { Running } from './wallet.ts'

export interface ServeGatewayDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db?: Db
}

/** Opens the database, brings it up to date and listens. Throws when any of it fails, with everything closed again. */
export async function serveGateway(config: Config, deps: ServeGatewayDeps = {}): Promise<Running> {
  const db = deps.db ? { ...deps.db, close: async () => {} } : await openDb(config.store)
  try {
    await prepareDb(db, 'gateway', config.migrate)
    return await serve(config, db, deps)
  } catch (error) {
    await db.close()
    throw error
  }
}

async function serve(config: Config, db: Db, deps: ServeGatewayDeps): Promise<Running> {
  const { clock = systemClock, log = createLogger(config.logLevel) } = deps
  const { app, close } = await createGatewayApp(config, { db, clock, log })
  const url = await app.listen({ host: config.host, port: config.port })
  log.info({ url, version: VERSION, store: db.kind }, 'the gateway listens')
  return {
    url,
    async close() {
      await close()
      await db.close()
      log.info('the gateway has stopped')
    },
  }
}

export interface GatewayAppDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  /** Called before the first route is added: the OpenAPI document is made by listening to routes. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with every route, not listening; `close` finishes what was accepted. */
export async function createGatewayApp(
  { secrets, gatewayKey, allowsPrivateAddresses }: Config,
  { db, clock, log, beforeRoutes }: GatewayAppDeps,
): Promise<{ app: FastifyInstance; close(): Promise<void> }> {
  const operators = createOperators(db)
  const directory = createDirectory({ db, clock, key: secrets[0] ?? '' })
  const metrics = createGatewayMetrics(operators)
  const http = createHttpApp(API_PREFIX)
  const { app, isDraining } = http
  await beforeRoutes?.(app)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  await registerGateway(app, {
    ...{ secrets, directory, operators, clock, onFailure, metrics, log, isDraining, db },
    actions: createActionLog('gateway', 'GATEWAY_API_KEY', gatewayKey),
    ...{ apiKey: gatewayKey, allowsPrivateAddresses },
  })
  registerHealth(http, () => missingRights(db, 'gateway'), metrics)
  registerApiReference(app, 'gateway')
  const close = async () => {
    await closeApp(app)
    await operators.close()
  }
  return { app, close }
}
