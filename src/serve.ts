/** Wiring of the wallet server: database, partner wire, operator API, health, metrics; and a shutdown that finishes what it accepted. */
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { registerApiReference } from './api-reference.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { fixBuckets } from './db/buckets.ts'
import { type Db, statement } from './db/db.ts'
import { migrate, requireMigrated } from './db/migrate.ts'
import { openDb } from './db/open.ts'
import { checkScales } from './ledger/currency.ts'
import { createLogger, type Logger } from './logger.ts'
import { registerOperator } from './operator/server.ts'
import { createWallet, type Wallet } from './wallet/wallet.ts'

export interface RunningWallet {
  readonly url: string
  /** Stops accepting, finishes what was accepted, closes the database. */
  close(): Promise<void>
}

const SWEEP_MS = 50
/** Milliseconds for a request to arrive completely; the platform gives up after 5 s. */
const REQUEST_TIMEOUT_MS = 10_000
const REQUEST_CHECK_MS = 1_000
/** Milliseconds that a shutdown waits for answers and half-sent requests; no call takes longer. */
const GRACE_MS = 6_000

export interface ServeDeps {
  readonly clock?: Clock
  readonly log?: Logger
}

/** Opens the database, brings it up to date and listens. Throws when any of it fails, with everything closed again. */
export async function serveWallet(
  config: Config,
  { clock = systemClock, log = createLogger(config.logLevel) }: ServeDeps = {},
): Promise<RunningWallet> {
  const db = await openDb(config.store)
  try {
    return await serve(config, db, clock, log)
  } catch (error) {
    await db.close()
    throw error
  }
}

async function serve(config: Config, db: Db, clock: Clock, log: Logger): Promise<RunningWallet> {
  const buckets = await prepareDb(config, db)
  const app = await createApp(config, { db, buckets, clock, log })
  const url = await app.listen({ host: config.host, port: config.port })
  log.info({ url, store: db.kind, buckets }, 'the wallet listens')
  return {
    url,
    async close() {
      await closeServer(app)
      await db.close()
      log.info('the wallet has stopped')
    },
  }
}

/** A connection whose last answer goes out after the server began to close would stay open idle, and the close would wait for it. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
  await app.close().finally(() => {
    clearInterval(sweep)
    clearTimeout(force)
  })
}

async function prepareDb({ migrate: mode, buckets: wanted, scales }: Config, db: Db): Promise<number> {
  if (mode === 'auto') await migrate(db)
  else await requireMigrated(db)
  await checkScales(db, scales)
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
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { connectionsCheckingInterval: REQUEST_CHECK_MS },
    return503OnClosing: false, // a call that still gets in is finished like every accepted one
    routerOptions: { maxParamLength: 1_000 },
  })
  await beforeRoutes?.(app)
  const rules = { scales, clawback, resettleWindowMs, freebetStake, minimumAge }
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
  })
  const isDraining = () => draining
  const settings = { scales, behindAggregator }
  const wallet = createWallet({ db, clock, log, buckets, secrets, rules, settings, isDraining })
  await wallet.register(app)
  await registerOperator(app, { db, clock, buckets, scales, apiKey: config.operatorKey, clawback, log })
  registerHealth(app, db, wallet, isDraining)
  registerApiReference(app)
  return app
}

const PING = statement('ping', 'select 1 as ok')

/** /healthz never touches the database; /readyz does, and says 503 while the server drains, so that a balancer sends no more. */
function registerHealth(app: FastifyInstance, db: Db, wallet: Wallet, isDraining: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const status = isDraining() ? 'draining' : (await answers(db)) ? 'ready' : 'database unavailable'
    return reply.code(status === 'ready' ? 200 : 503).send({ status })
  })
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', wallet.metrics.contentType).send(await wallet.metrics.text()),
  )
}

async function answers(db: Db): Promise<boolean> {
  return db.query(PING).then(
    () => true,
    () => false,
  )
}
