/** Wiring of the wallet server: database, partner wire, operator API, health, metrics, console. */

import type { Reach } from '@purser/protocol/values/base-url'
import { type Clock, systemClock } from '@purser/runtime/clock'
import { type Cancel, environment } from '@purser/runtime/environment'
import { createLogger, type Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createLastAudit } from '../core/auth/audit-log/last-audit.ts'
import { type ConsoleAuth, createConsoleAuth } from '../core/auth/server-auth.ts'
import { type ConsoleDeps, registerConsole } from '../core/auth/sign-in/console-routes.ts'
import { createCallJournal } from '../core/call-journal/call-journal.ts'
import { type CallStats, createCallStats } from '../core/call-journal/call-stats.ts'
import { withCallStats } from '../core/call-journal/last-hour-stats.ts'
import { createFeed, type Feed } from '../core/change-feed/change-feed.ts'
import { type ChangeNotifier, createChangeNotifier } from '../core/change-feed/change-notifier.ts'
import { createFeedMetrics } from '../core/change-feed/feed-metrics.ts'
import type { Config } from '../core/config/config.ts'
import { isOutage } from '../core/database/database-errors.ts'
import type { Db } from '../core/database/db.ts'
import { createEncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { recordBucketCount } from '../core/database/schema/buckets.ts'
import { checkReadiness } from '../core/database/schema/database-startup.ts'
import { registerApiReference } from '../core/http/api/api-reference.ts'
import { registerConsoleFiles } from '../core/http/console-files.ts'
import { closeApp, createHttpApp, registerHealth } from '../core/http/http-app.ts'
import { createApiMetrics } from '../core/observability/api-metrics.ts'
import { startWebhookDispatcher, type WebhookDispatcher } from '../core/webhooks/webhook-dispatcher.ts'
import { createWebhookMetrics } from '../core/webhooks/webhook-metrics.ts'
import { createWebhookSender } from '../core/webhooks/webhook-sender.ts'
import type { Webhook } from '../core/webhooks/webhook-store.ts'
import { closeDays, createDailyCloseMetrics } from '../wallet/ledger/daily-sums.ts'
import {
  type ConformanceRunner,
  type ConformanceRuns,
  createConformanceRuns,
} from '../wallet/operator-api/conformance/conformance-runs.ts'
import { registerOperator } from '../wallet/operator-api/operator-routes.ts'
import {
  playerOfFeedEvent,
  toWalletSubject,
  toWalletWebhookMessage,
} from '../wallet/operator-api/wallet-feed-events.ts'
import { WALLET_CHANGES } from '../wallet/store/wallet-changes.ts'
import { createWallet } from '../wallet/wallet.ts'
import { createCommonMetrics } from './common-metrics.ts'
import { createWalletKit } from './conformance-kit.ts'
import { type RunningServer, runServer } from './server-lifecycle.ts'

/** Milliseconds between two attempts to close past days. */
const DAILY_CLOSE_INTERVAL_MS = 600_000

export interface ServeWalletDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** Open; the caller closes it. */
  readonly db?: Db
  readonly sandbox?: SandboxRoutes | undefined
  readonly makesFirstAdmin?: boolean
}

export interface SandboxRoutes {
  addRoutes(app: FastifyInstance, auth: ConsoleAuth): void
  /** Allows the request to open the console with one click. */
  mayEnter(request: FastifyRequest): boolean
}

export function serveWallet(
  config: Config,
  {
    clock = systemClock,
    log = createLogger(config.logLevel, isOutage),
    db: openDatabase,
    sandbox,
    makesFirstAdmin,
  }: ServeWalletDeps = {},
): Promise<RunningServer> {
  return runServer('wallet', config, {
    log,
    db: openDatabase,
    makesFirstAdmin,
    async create(db, tracing) {
      const buckets = await recordBucketCount(db, config.buckets)
      const app = await createWalletApp(config, { db, buckets, clock, log, sandbox, tracing })
      return { app, facts: { buckets }, close: () => closeApp(app) }
    },
  })
}

export interface WalletAppDeps {
  readonly db: Db
  readonly buckets: number
  readonly clock: Clock
  readonly log: Logger
  readonly sandbox?: SandboxRoutes | undefined
  readonly tracing?: Tracing | undefined
  /** Replaces the kit. The API reference is made with a kit that never ends. */
  readonly kit?: ConformanceRunner | undefined
  /** Called before the first route, for the OpenAPI document. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with all routes, not listening. */
export async function createWalletApp(
  config: Config,
  { db, buckets, clock, log, sandbox, tracing, kit, beforeRoutes }: WalletAppDeps,
): Promise<FastifyInstance> {
  const {
    sharedBets,
    scales,
    behindAggregator,
    clawback,
    resettleWindowMs,
    freebetStake,
    minimumAge,
    fastPath,
    journalDays,
    approveAbove,
    coolingOff,
    encryptionKeys,
    reach,
  } = config
  const http = createHttpApp({ ...config, apiPrefix: '/operator' })
  const { app, admission } = http
  await beforeRoutes?.(app)
  const rules = { scales, clawback, resettleWindowMs, freebetStake, minimumAge, sharedBets }
  const settings = { scales, behindAggregator }
  const minutes = createWalletCallStats(app, { db, clock, log })
  const journal = withCallStats(createCallJournal({ db, clock, log, schema: 'purser', days: journalDays }), minutes)
  app.addHook('onClose', () => journal.stop())
  const stopDailyClose = startDailyClose(db, clock, log)
  app.addHook('onClose', async () => stopDailyClose())
  let dispatcher: WebhookDispatcher | undefined
  const webhookStates = () => dispatcher?.health() ?? {}
  const wallet = createWallet({
    ...{ db, clock, log, buckets, ...readSigners(config), rules, settings, fastPath, journal, webhookStates },
    tracing,
  })
  admission.addCapacity(wallet.callQueue.freeSlots)
  await wallet.register(http)
  const auth = createConsoleAuth('wallet', { ...config, db, firstKey: config.operatorKey, log })
  const { feed, live } = createWalletFeed(app, db, clock)
  const [keyring, senderTo] = [createEncryptionKeyring(encryptionKeys), sendersWithin(reach)]
  const webhooks = { keyring, senderTo, reach }
  const [apiCalls, lastAudit] = [createApiMetrics(tracing), createLastAudit('purser', db)]
  const money = { buckets, scales, clawback, approveAbove, coolingOff }
  const conformance = createWalletConformance(app, config, { db, clock, log, sandbox, kit })
  const reporting = { feed, live, minutes, lastAudit, conformance }
  await registerOperator(app, { db, clock, ...money, ...reporting, log, apiCalls, ...webhooks, ...auth })
  // Webhooks start with the listener, because the API reference is made by a wallet that does not
  // listen.
  app.addHook('onListen', async () => {
    dispatcher = startWebhookDispatcher({
      ...{ db, keyring, log, feed, senderTo, clock, random: () => environment.random() },
      messageOf: (event) => toWalletWebhookMessage({ scales }, event),
      subjectOf: playerOfFeedEvent,
    })
  })
  app.addHook('onClose', async () => dispatcher?.stop())
  registerHealth(http, () => checkReadiness(db, 'wallet'), [
    ...createCommonMetrics(db, auth, apiCalls),
    wallet.metrics,
    createFeedMetrics(db, WALLET_CHANGES, feed, clock),
    createWebhookMetrics(db, clock),
    createDailyCloseMetrics(db, clock),
    lastAudit,
  ])
  registerApiReference(app, 'wallet')
  await addConsole(app, { ...auth, log, calls: apiCalls }, config, sandbox)
  return app
}

function sendersWithin(reach: Reach) {
  return ({ connection }: Pick<Webhook, 'connection'>) => createWebhookSender(reach, connection)
}

/** Open waits and streams must not delay the end. */
function createWalletFeed(
  app: FastifyInstance,
  db: Db,
  clock: Clock,
): { readonly feed: Feed; readonly live: ChangeNotifier } {
  const feed = createFeed(db, WALLET_CHANGES)
  const live = createChangeNotifier({ db, feed, clock, schema: 'purser', subjectOf: toWalletSubject })
  app.addHook('preClose', async () => {
    feed.close()
    live.close()
  })
  return { feed, live }
}

/** The sandbox always allows the kit, because its wallet is for trials. */
function createWalletConformance(
  app: FastifyInstance,
  config: Config,
  {
    sandbox,
    kit = createWalletKit(app, config),
    ...deps
  }: Pick<WalletAppDeps, 'db' | 'clock' | 'log' | 'sandbox' | 'kit'>,
): ConformanceRuns {
  const isAllowed = sandbox !== undefined || config.conformance === 'on'
  const runs = createConformanceRuns({ ...deps, kit: isAllowed ? kit : undefined })
  app.addHook('preClose', () => runs.stop())
  return runs
}

/** The statistics start with the listener. */
function createWalletCallStats(app: FastifyInstance, deps: Pick<WalletAppDeps, 'db' | 'clock' | 'log'>): CallStats {
  const minutes = createCallStats({ ...deps, schema: 'purser' })
  app.addHook('onListen', async () => minutes.start())
  app.addHook('onClose', () => minutes.stop())
  return minutes
}

async function addConsole(
  app: FastifyInstance,
  auth: ConsoleAuth & Pick<ConsoleDeps, 'log' | 'calls'>,
  { operatorKey }: Config,
  sandbox: SandboxRoutes | undefined,
): Promise<void> {
  registerConsoleFiles(app)
  const entry = sandbox && { mayEnter: sandbox.mayEnter, key: operatorKey }
  await registerConsole(app, { server: 'wallet', ...auth, sandbox: entry })
  sandbox?.addRoutes(app, auth)
}

/** All secrets, and the platform of each secret at the same index (W-43). */
function readSigners({ secrets, platformSecrets }: Config) {
  return {
    secrets: [...secrets, ...platformSecrets.map(({ value }) => value)],
    platforms: [...secrets.map(() => ''), ...platformSecrets.map(({ platform }) => platform)],
  }
}

/** A large day can take longer than the interval, so only one close runs at a time. */
function startDailyClose(db: Db, clock: Clock, log: Logger): Cancel {
  let isClosing = false
  const closeOldDays = async () => {
    if (isClosing) return
    isClosing = true
    try {
      await closeDays(db, clock.now())
    } catch (error) {
      log.warn({ err: error }, 'the sums of past days could not be saved; the next attempt is in some minutes')
    } finally {
      isClosing = false
    }
  }
  return environment.setRepeatingTimer(DAILY_CLOSE_INTERVAL_MS, () => void closeOldDays())
}
