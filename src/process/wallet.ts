/** Wiring of the wallet server: database, partner wire, operator API, health, metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { fixBuckets } from '../db/buckets.ts'
import type { Db } from '../db/db.ts'
import { isOutage } from '../db/errors.ts'
import { createKeyring } from '../db/keyring.ts'
import { askReadiness } from '../db/prepare.ts'
import { createFeed, type Feed } from '../feed/feed.ts'
import { createJournal } from '../feed/journal.ts'
import { createLive, type Live } from '../feed/live.ts'
import { createFeedMetrics } from '../feed/metrics.ts'
import { createMinutes, type Minutes } from '../feed/minutes.ts'
import { counting } from '../feed/now.ts'
import { type Dispatcher, startDispatcher } from '../feed/webhooks/dispatcher.ts'
import { createWebhookMetrics } from '../feed/webhooks/metrics.ts'
import { createSender } from '../feed/webhooks/send.ts'
import type { Webhook } from '../feed/webhooks/store.ts'
import { createApiCalls } from '../http/api-calls.ts'
import { registerApiReference } from '../http/api-reference.ts'
import { closeApp, createHttpApp, registerHealth } from '../http/app.ts'
import { registerConsoleFiles } from '../http/console-files.ts'
import { keepDays } from '../ledger/daily.ts'
import { createDailyMetrics } from '../ledger/daily-metrics.ts'
import { messageOf, playerOf, subjectOf } from '../operator/changes.ts'
import { type ConformanceRuns, createConformanceRuns, type Kit } from '../operator/conformance-runs.ts'
import { registerOperator } from '../operator/server.ts'
import { type ConsoleDeps, registerConsole } from '../people/console-routes.ts'
import { createLastAudit } from '../people/last-audit.ts'
import { type ConsolePeople, createConsolePeople } from '../people/people.ts'
import type { Reach } from '../protocol/base-url.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createLogger, type Logger } from '../runtime/logger.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { type Cancel, world } from '../runtime/world.ts'
import { WALLET_CHANGES } from '../wallet/store/change.ts'
import { createWallet } from '../wallet/wallet.ts'
import { kitFor } from './conformance-kit.ts'
import { measuredEverywhere } from './measured.ts'
import { type Running, run } from './running.ts'

/** Milliseconds between two looks whether the sums of a day can be kept. */
const KEEP_DAYS_MS = 600_000

export interface ServeDeps {
  readonly clock?: Clock
  readonly log?: Logger
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db?: Db
  /** Of the sandbox. */
  readonly sandbox?: SandboxRoutes | undefined
  readonly makesFirstAdmin?: boolean
}

/** What the sandbox has beside the wallet's own. */
export interface SandboxRoutes {
  addRoutes(app: FastifyInstance, people: ConsolePeople): void
  /** Who may open the console with one click. */
  mayEnter(request: FastifyRequest): boolean
}

/** Throws when the wallet cannot begin, with everything closed again. */
export function serveWallet(
  config: Config,
  {
    clock = systemClock,
    log = createLogger(config.logLevel, isOutage),
    db: given,
    sandbox,
    makesFirstAdmin,
  }: ServeDeps = {},
): Promise<Running> {
  return run('wallet', config, {
    log,
    db: given,
    makesFirstAdmin,
    async create(db, tracing) {
      const buckets = await fixBuckets(db, config.buckets)
      const app = await createApp(config, { db, buckets, clock, log, sandbox, tracing })
      return { app, facts: { buckets }, close: () => closeApp(app) }
    },
  })
}

export interface AppDeps {
  readonly db: Db
  readonly buckets: number
  readonly clock: Clock
  readonly log: Logger
  readonly sandbox?: SandboxRoutes | undefined
  readonly tracing?: Tracing | undefined
  /** Instead of the whole one: the API reference is made with one that never ends. */
  readonly kit?: Kit | undefined
  /** Called before the first route is added: the OpenAPI document is made by listening to routes. */
  beforeRoutes?(app: FastifyInstance): Promise<unknown>
}

/** The HTTP server with every route, not listening. */
export async function createApp(
  config: Config,
  { db, buckets, clock, log, sandbox, tracing, kit, beforeRoutes }: AppDeps,
): Promise<FastifyInstance> {
  const {
    sharedBets,
    scales,
    behindAggregator,
    clawback,
    resettleWindowMs,
    freebetStake,
    minimumAge,
    gate,
    journalDays,
    approveAbove,
    coolingOff,
    encryptionKeys,
    reach,
  } = config
  const http = createHttpApp({ ...config, apiPrefix: '/operator' })
  const { app, door, isDraining } = http
  await beforeRoutes?.(app)
  const rules = { scales, clawback, resettleWindowMs, freebetStake, minimumAge, sharedBets }
  const settings = { scales, behindAggregator }
  const minutes = minutesOf(app, { db, clock, log })
  const journal = counting(createJournal({ db, clock, log, schema: 'purser', days: journalDays }), minutes)
  app.addHook('onClose', () => journal.stop())
  const endKeeping = startKeeper(db, clock, log)
  app.addHook('onClose', async () => endKeeping())
  let dispatcher: Dispatcher | undefined
  const webhookStates = () => dispatcher?.health() ?? {}
  const wallet = createWallet({
    ...{ db, clock, log, buckets, ...signersIn(config), rules, settings, gate, journal, webhookStates, isDraining },
    tracing,
  })
  door.waitsFor(wallet.lanes.room)
  await wallet.register(http)
  const people = createConsolePeople('wallet', { ...config, db, firstKey: config.operatorKey, log })
  const { feed, live } = feedOf(app, db, clock)
  const [keyring, senderTo] = [createKeyring(encryptionKeys), sendersWithin(reach)]
  const webhooks = { keyring, senderTo, reach }
  const [apiCalls, lastAudit] = [createApiCalls(tracing), createLastAudit('purser', db)]
  const money = { buckets, scales, clawback, approveAbove, coolingOff }
  const conformance = conformanceOf(app, config, { db, clock, log, sandbox, kit })
  const told = { feed, live, minutes, lastAudit, conformance }
  await registerOperator(app, { db, clock, ...money, ...told, log, apiCalls, ...webhooks, ...people })
  // Only who listens delivers: the API reference is made by a wallet that does not.
  app.addHook('onListen', async () => {
    dispatcher = startDispatcher({
      ...{ db, keyring, log, feed, senderTo, clock, random: () => world.chance() },
      messageOf: (event) => messageOf({ scales }, event),
      subjectOf: playerOf,
    })
  })
  app.addHook('onClose', async () => dispatcher?.stop())
  registerHealth(http, () => askReadiness(db, 'wallet'), [
    ...measuredEverywhere(db, people, apiCalls),
    wallet.metrics,
    createFeedMetrics(db, WALLET_CHANGES, feed, clock),
    createWebhookMetrics(db, clock),
    createDailyMetrics(db, clock),
    lastAudit,
  ])
  registerApiReference(app, 'wallet')
  await addConsole(app, { ...people, log, calls: apiCalls }, config, sandbox)
  return app
}

function sendersWithin(reach: Reach) {
  return ({ connection }: Pick<Webhook, 'connection'>) => createSender(reach, connection)
}

/** Nobody's wait or stream holds up the end. */
function feedOf(app: FastifyInstance, db: Db, clock: Clock): { readonly feed: Feed; readonly live: Live } {
  const feed = createFeed(db, WALLET_CHANGES)
  const live = createLive({ db, feed, clock, schema: 'purser', subjectOf })
  app.addHook('preClose', async () => {
    feed.close()
    live.close()
  })
  return { feed, live }
}

/** In the sandbox always: its wallet is there to be tried out. */
function conformanceOf(
  app: FastifyInstance,
  config: Config,
  { sandbox, kit = kitFor(app, config), ...deps }: Pick<AppDeps, 'db' | 'clock' | 'log' | 'sandbox' | 'kit'>,
): ConformanceRuns {
  const isAllowed = sandbox !== undefined || config.conformance === 'on'
  const runs = createConformanceRuns({ ...deps, kit: isAllowed ? kit : undefined })
  app.addHook('preClose', () => runs.stop())
  return runs
}

/** Only who listens writes them by the clock. */
function minutesOf(app: FastifyInstance, deps: Pick<AppDeps, 'db' | 'clock' | 'log'>): Minutes {
  const minutes = createMinutes({ ...deps, schema: 'purser' })
  app.addHook('onListen', async () => minutes.start())
  app.addHook('onClose', () => minutes.stop())
  return minutes
}

async function addConsole(
  app: FastifyInstance,
  people: ConsolePeople & Pick<ConsoleDeps, 'log' | 'calls'>,
  { operatorKey }: Config,
  sandbox: SandboxRoutes | undefined,
): Promise<void> {
  registerConsoleFiles(app)
  const entry = sandbox && { mayEnter: sandbox.mayEnter, key: operatorKey }
  await registerConsole(app, { server: 'wallet', ...people, sandbox: entry })
  sandbox?.addRoutes(app, people)
}

/** Every secret, and by its place whose it is (W-43). */
function signersIn({ secrets, platformSecrets }: Config) {
  return {
    secrets: [...secrets, ...platformSecrets.map(({ value }) => value)],
    platforms: [...secrets.map(() => ''), ...platformSecrets.map(({ platform }) => platform)],
  }
}

/** A large day takes longer than there is between two looks: one goes on at a time. */
function startKeeper(db: Db, clock: Clock, log: Logger): Cancel {
  let isKeeping = false
  const keep = async () => {
    if (isKeeping) return
    isKeeping = true
    try {
      await keepDays(db, clock.now())
    } catch (error) {
      log.warn({ err: error }, 'the sums of days that are over could not be kept; the next try is in some minutes')
    } finally {
      isKeeping = false
    }
  }
  return world.every(KEEP_DAYS_MS, () => void keep())
}
