/** Wiring of the platform server: database, API, deliverer, health, metrics, console. */

import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { createLogger, type Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import type { FastifyInstance } from 'fastify'
import { createLastAudit } from '../core/auth/audit-log/last-audit.ts'
import { createConsoleAuth } from '../core/auth/server-auth.ts'
import { registerConsole } from '../core/auth/sign-in/console-routes.ts'
import { createCallStats } from '../core/call-journal/call-stats.ts'
import { createFeed } from '../core/change-feed/change-feed.ts'
import { createChangeNotifier } from '../core/change-feed/change-notifier.ts'
import { createFeedMetrics } from '../core/change-feed/feed-metrics.ts'
import type { Config } from '../core/config/config.ts'
import { isOutage } from '../core/database/database-errors.ts'
import type { Db } from '../core/database/db.ts'
import { createEncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { checkReadiness } from '../core/database/schema/database-startup.ts'
import { registerApiReference } from '../core/http/api/api-reference.ts'
import { registerConsoleFiles } from '../core/http/console-files.ts'
import { closeApp, createHttpApp, registerHealth } from '../core/http/http-app.ts'
import { createApiMetrics } from '../core/observability/api-metrics.ts'
import { platformSubjectOf } from '../platform/api/platform-change-views.ts'
import { registerPlatform } from '../platform/api/platform-routes.ts'
import { startDatabaseClock } from '../platform/database-clock.ts'
import { withConflictRetry } from '../platform/delivery/conflict-retry.ts'
import type { Deliverer, DelivererTimers } from '../platform/delivery/deliverer.ts'
import { createPlatform } from '../platform/platform.ts'
import { createPlatformMetrics } from '../platform/platform-metrics.ts'
import { PLATFORM_CHANGES } from '../platform/store/platform-change-feed.ts'
import { createCommonMetrics } from './common-metrics.ts'
import { type RunningServer, runServer, type ServerApp } from './server-lifecycle.ts'

export interface ServePlatformDeps {
  readonly clock?: Clock
  readonly timers?: DelivererTimers
  readonly log?: Logger
  /** From 0 to 1; spreads the retries. */
  readonly random?: () => number
  /** Open; the caller closes it. */
  readonly db?: Db
  readonly makesFirstAdmin?: boolean
}

/** The timers of the environment, for times of `clock`. */
function createTimers(clock: Clock): DelivererTimers {
  return {
    at: (time, wake) => environment.setTimer(time.getTime() - clock.now().getTime(), wake),
    elapsed: () => environment.monotonicNow(),
  }
}

export function servePlatform(config: Config, deps: ServePlatformDeps = {}): Promise<RunningServer> {
  const { log = createLogger(config.logLevel, isOutage), random = environment.random } = deps
  return runServer('platform', config, {
    log,
    db: deps.db,
    makesFirstAdmin: deps.makesFirstAdmin,
    async create(db, tracing) {
      const clock = deps.clock ?? (await startDatabaseClock(db))
      const { timers = createTimers(clock) } = deps
      return createPlatformApp(config, { db: withConflictRetry(db), clock, timers, log, random, tracing })
    },
  })
}

export interface PlatformAppDeps extends Required<Omit<ServePlatformDeps, 'makesFirstAdmin'>> {
  readonly tracing?: Tracing | undefined
  /** Called before the first route, for the OpenAPI document. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

export interface PlatformApp extends ServerApp {
  readonly deliverer: Deliverer
}

/** The HTTP server with all routes, not listening, and the running deliverer. */
export async function createPlatformApp(config: Config, deps: PlatformAppDeps): Promise<PlatformApp> {
  const { db, clock, timers, log, random, tracing, beforeRoutes } = deps
  const { scales } = config
  const http = createHttpApp(config)
  await beforeRoutes?.(http.app)
  const minutes = createCallStats({ db, clock, log, schema: 'platform' })
  http.app.addHook('onListen', async () => minutes.start())
  const { deciding, metrics, deliverer, stop } = createPlatform({
    ...{ db, clock, timers, log, scales, random },
    keyring: createEncryptionKeyring(config.encryptionKeys),
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
  const auth = createConsoleAuth('platform', { db, firstKey, log, consoleIdleMinutes })
  const feed = createFeed(db, PLATFORM_CHANGES)
  const live = createChangeNotifier({ db, feed, clock, schema: 'platform', subjectOf: platformSubjectOf })
  // Open waits and streams must not delay the end.
  http.app.addHook('preClose', async () => {
    feed.close()
    live.close()
  })
  http.app.addHook('preClose', () => results.stop()) // nor must a result with a million bets
  const apiCalls = createApiMetrics(tracing)
  const api = { ...deciding, ...auth, apiCalls, reach, feed, live, minutes, log }
  await registerPlatform(http.app, api)
  registerHealth(http, () => checkReadiness(db, 'platform'), [
    ...createCommonMetrics(db, auth, apiCalls),
    metrics,
    createFeedMetrics(db, PLATFORM_CHANGES, feed, clock),
    createLastAudit('platform', db),
  ])
  registerApiReference(http.app, 'platform')
  registerConsoleFiles(http.app)
  await registerConsole(http.app, { server: 'platform', log, calls: apiCalls, ...auth })
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
