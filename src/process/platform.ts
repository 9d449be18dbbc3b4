/** Wiring of the platform server: database, API, deliverer. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { isOutage } from '../db/errors.ts'
import { createKeyring } from '../db/keyring.ts'
import { askReadiness } from '../db/prepare.ts'
import { createFeed } from '../feed/feed.ts'
import { createLive } from '../feed/live.ts'
import { createFeedMetrics } from '../feed/metrics.ts'
import { createMinutes } from '../feed/minutes.ts'
import { createApiCalls } from '../http/api-calls.ts'
import { registerApiReference } from '../http/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../http/app.ts'
import { registerConsoleFiles } from '../http/console-files.ts'
import { registerConsole } from '../people/console-routes.ts'
import { createLastAudit } from '../people/last-audit.ts'
import { createConsolePeople } from '../people/people.ts'
import { subjectOf } from '../platform/api/changes.ts'
import { registerPlatform } from '../platform/api/server.ts'
import { PLATFORM_CHANGES } from '../platform/change.ts'
import { startDatabaseClock } from '../platform/database-clock.ts'
import type { Deliverer, Timers } from '../platform/delivery/deliver.ts'
import { patient } from '../platform/delivery/patience.ts'
import { createPlatformMetrics } from '../platform/metrics.ts'
import { createPlatform } from '../platform/platform.ts'
import type { Clock } from '../runtime/clock.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import { measuredEverywhere } from './measured.ts'
import { type App, type Running, run } from './running.ts'

export interface ServePlatformDeps {
  readonly clock?: Clock
  readonly timers?: Timers
  readonly log?: Logger
  /** From 0 to 1; spreads the retries. */
  readonly random?: () => number
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db?: Db
  readonly makesFirstAdmin?: boolean
}

/** The world's timers for times of this clock. */
function timersOf(clock: Clock): Timers {
  return {
    at: (time, wake) => world.after(time.getTime() - clock.now().getTime(), wake),
    elapsed: () => world.elapsed(),
  }
}

/** Throws when the platform cannot begin, with everything closed again. */
export function servePlatform(config: Config, deps: ServePlatformDeps = {}): Promise<Running> {
  const { log = createLogger(config.logLevel, isOutage), random = world.chance } = deps
  return run('platform', config, {
    log,
    db: deps.db,
    makesFirstAdmin: deps.makesFirstAdmin,
    async create(db, tracing) {
      const clock = deps.clock ?? (await startDatabaseClock(db))
      const { timers = timersOf(clock) } = deps
      return createPlatformApp(config, { db: patient(db), clock, timers, log, random, tracing })
    },
  })
}

export interface PlatformAppDeps extends Required<Omit<ServePlatformDeps, 'makesFirstAdmin'>> {
  readonly tracing?: Tracing | undefined
  /** Called before the first route is added: the OpenAPI document is made by listening to routes. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

export interface PlatformApp extends App {
  readonly deliverer: Deliverer
}

/** The HTTP server with every route, not listening, and the deliverer at work. */
export async function createPlatformApp(config: Config, deps: PlatformAppDeps): Promise<PlatformApp> {
  const { db, clock, timers, log, random, tracing, beforeRoutes } = deps
  const { scales } = config
  const http = createHttpApp(config)
  await beforeRoutes?.(http.app)
  const minutes = createMinutes({ db, clock, log, schema: 'platform' })
  http.app.addHook('onListen', async () => minutes.start())
  const { deciding, metrics, deliverer, stop } = createPlatform({
    ...{ db, clock, timers, log, scales, random },
    keyring: createKeyring(config.encryptionKeys),
    calling: {
      connections: config.callsPerPartner,
      reach: config.reach,
      tracing,
      called: (partnerId, { outcome, durationMs }) =>
        minutes.add(partnerId, outcome.kind === 'unknown' ? 'failed' : outcome.kind, durationMs),
    },
    metricsOf: (breakers) => createPlatformMetrics(db, clock, breakers, timers.elapsed),
  })
  const { results } = deciding
  const { platformKey: firstKey, reach, consoleIdleMinutes } = config
  const people = createConsolePeople('platform', { db, firstKey, log, consoleIdleMinutes })
  const feed = createFeed(db, PLATFORM_CHANGES)
  const live = createLive({ db, feed, clock, schema: 'platform', subjectOf })
  // Nobody's wait or stream holds up the end.
  http.app.addHook('preClose', async () => {
    feed.close()
    live.close()
  })
  http.app.addHook('preClose', () => results.stop()) // nor does a result with a million bets
  const apiCalls = createApiCalls(tracing)
  const api = { ...deciding, ...people, apiCalls, reach, feed, live, minutes, log }
  await registerPlatform(http.app, api)
  registerHealth(http, () => askReadiness(db, 'platform'), [
    ...measuredEverywhere(db, people, apiCalls),
    metrics,
    createFeedMetrics(db, PLATFORM_CHANGES, feed, clock),
    createLastAudit('platform', db),
  ])
  registerApiReference(http.app, 'platform')
  registerConsoleFiles(http.app)
  await registerConsole(http.app, { server: 'platform', log, calls: apiCalls, ...people })
  return {
    app: http.app,
    deliverer,
    async close() {
      await closeApp(http.app)
      await stop()
      await minutes.stop()
    },
  }
}
