/** Wiring of the wallet server: database, partner wire, operator API, health, metrics. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { fixBuckets } from '../db/buckets.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../db/open.ts'
import { prepareDb } from '../db/prepare.ts'
import { missingRights } from '../db/rights.ts'
import { checkScales } from '../db/scales.ts'
import { registerApiReference } from '../http/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../http/app.ts'
import { registerOperator } from '../operator/server.ts'
import { createActionLog } from '../people/actions.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import { VERSION } from '../runtime/version.ts'
import { createWallet } from '../wallet/wallet.ts'
import { requireSettings } from './money-settings.ts'

export interface Running {
  readonly url: string
  /** Stops accepting, finishes what was accepted, closes the database. */
  close(): Promise<void>
}

export interface ServeDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db?: Db
  /** Routes of the caller's, beside the wallet's own. */
  addRoutes?(app: FastifyInstance): void
}

/** Opens the database, brings it up to date and listens. Throws when any of it fails, with everything closed again. */
export async function serveWallet(
  config: Config,
  { clock = systemClock, log = createLogger(config.logLevel), db: given, addRoutes = () => {} }: ServeDeps = {},
): Promise<Running> {
  const db = given ? { ...given, close: async () => {} } : await openDb(config.store)
  try {
    return await serve(config, db, { clock, log, addRoutes })
  } catch (error) {
    await db.close()
    throw error
  }
}

async function serve(
  config: Config,
  db: Db,
  { clock, log, addRoutes }: Required<Pick<ServeDeps, 'clock' | 'log' | 'addRoutes'>>,
): Promise<Running> {
  const buckets = await prepareStore(config, db)
  const app = await createApp(config, { db, buckets, clock, log })
  addRoutes(app)
  const url = await app.listen({ host: config.host, port: config.port })
  log.info({ url, version: VERSION, store: db.kind, buckets }, 'the wallet listens')
  return {
    url,
    async close() {
      await closeApp(app)
      await db.close()
      log.info('the wallet has stopped')
    },
  }
}

async function prepareStore(config: Config, db: Db): Promise<number> {
  const { migrate, buckets: wanted, scales } = config
  await prepareDb(db, 'wallet', migrate)
  await checkScales(db, 'wallet', scales)
  await requireSettings(db, 'wallet', config)
  return fixBuckets(db, wanted)
}

export interface AppDeps {
  readonly db: Db
  readonly buckets: number
  readonly clock: Clock
  readonly log: Logger
  /** Called before the first route is added: the OpenAPI document is made by listening to routes. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with every route, not listening. */
export async function createApp(
  config: Config,
  { db, buckets, clock, log, beforeRoutes }: AppDeps,
): Promise<FastifyInstance> {
  const { secrets, scales, behindAggregator, clawback, resettleWindowMs, freebetStake, minimumAge } = config
  const http = createHttpApp('/operator')
  const { app, door, isDraining } = http
  await beforeRoutes?.(app)
  const rules = { scales, clawback, resettleWindowMs, freebetStake, minimumAge }
  const settings = { scales, behindAggregator }
  const wallet = createWallet({ db, clock, log, buckets, secrets, rules, settings, isDraining })
  door.waitsFor(wallet.lanes.room)
  await wallet.register(app)
  const { forget } = wallet
  const { operatorKey: apiKey } = config
  const actions = createActionLog('purser', 'OPERATOR_API_KEY', apiKey)
  await registerOperator(app, { db, clock, buckets, scales, apiKey, actions, clawback, log, forget })
  registerHealth(http, () => missingRights(db, 'wallet'), wallet.metrics)
  registerApiReference(app, 'wallet')
  return app
}
