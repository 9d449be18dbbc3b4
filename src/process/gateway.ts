/** Wiring of the gateway server: database, partner wire, its own API, health, metrics. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { isOutage } from '../db/errors.ts'
import { createKeyring } from '../db/keyring.ts'
import { askReadiness } from '../db/prepare.ts'
import { createJournal } from '../feed/journal.ts'
import { createDirectory } from '../gateway/directory.ts'
import { createGatewayMetrics } from '../gateway/metrics.ts'
import { createOperators } from '../gateway/operators.ts'
import { createProspect } from '../gateway/prospect.ts'
import { API_PREFIX, registerGateway } from '../gateway/server.ts'
import { createApiCalls } from '../http/api-calls.ts'
import { registerApiReference } from '../http/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../http/app.ts'
import { createPeople } from '../people/people.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import { createCallerRefusals } from '../wallet-client/caller-refused.ts'
import { measuredEverywhere } from './measured.ts'
import { type App, type Running, run } from './running.ts'

export interface ServeGatewayDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db?: Db
}

/** Throws when the gateway cannot begin, with everything closed again. */
export function serveGateway(config: Config, deps: ServeGatewayDeps = {}): Promise<Running> {
  const { clock = systemClock, log = createLogger(config.logLevel, isOutage) } = deps
  return run('gateway', config, {
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
  /** Called before the first route is added: the OpenAPI document is made by listening to routes. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with every route, not listening; `close` finishes what was accepted. */
export async function createGatewayApp(
  { secrets, gatewayKey, encryptionKeys, reach, journalDays, trustedProxies, ...connections }: Config,
  { db, clock, log, tracing, beforeRoutes }: GatewayAppDeps,
): Promise<App> {
  const operators = createOperators(db, createKeyring(encryptionKeys), reach)
  const directory = createDirectory({ db, clock, key: secrets[0] ?? '' })
  const journal = createJournal({ db, clock, log, schema: 'gateway', days: journalDays })
  const metrics = createGatewayMetrics(operators, journal.lost)
  const http = createHttpApp({ apiPrefix: API_PREFIX, trustedProxies, ...connections })
  const { app, door, isDraining } = http
  door.looksFor(createProspect(operators.links, () => world.elapsed()))
  app.addHook('onClose', () => journal.stop())
  await beforeRoutes?.(app)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  const refusals = createCallerRefusals(log, 'operator')
  const people = createPeople('gateway', { db, firstKey: gatewayKey, log })
  const apiCalls = createApiCalls(tracing)
  await registerGateway(http, {
    ...{ secrets, directory, operators, clock, onFailure, metrics, journal, log, isDraining, db, refusals },
    ...{ ...people, apiCalls, tracing, reach },
  })
  registerHealth(http, () => askReadiness(db, 'gateway'), [...measuredEverywhere(db, people, apiCalls), metrics])
  registerApiReference(app, 'gateway')
  const close = async () => {
    await closeApp(app)
    await operators.close()
  }
  return { app, close }
}
