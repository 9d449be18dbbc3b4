/**
 * The sandbox: wallet and platform in one process, a fault proxy between them, and simulated
 * bettors that use only the HTTP APIs. At the end audit and reconcile check that both sides agree.
 */

import { replyCode } from '@purser/protocol/reply-codes'
import { errorText } from '@purser/runtime/errors/error-text'
import { createLogger } from '@purser/runtime/logger'
import { wrapForTerminal } from '@purser/runtime/text/text-wrapping'
import type { FastifyInstance } from 'fastify'
import type { ConsoleAuth } from '../core/auth/server-auth.ts'
import type { Config } from '../core/config/config.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { formatFinding, formatSummary } from '../reconcile/reconcile-report.ts'
import { type ActivityLog, createActivityLog } from './activity-log.ts'
import type { BearerClient } from './bearer-client.ts'
import { sleepUntil } from './bettors/abortable-wait.ts'
import { BET_POLL_MS, type BetWatch, createBetWatch } from './bettors/bet-watch.ts'
import { BETTORS } from './bettors/bettor-behaviour.ts'
import { simulateBettors } from './bettors/bettor-simulation.ts'
import { createChangeTally } from './bettors/change-tally.ts'
import { watchManualBets } from './bettors/manual-bets.ts'
import { followPlatformChanges, type PlatformChange } from './bettors/platform-changes.ts'
import { buildFrontPage, createDemo, type Demo, formatKeyLines, formatWelcome } from './demo.ts'
import { startDemoFrame } from './frame/demo-frame.ts'
import { addSandboxApi, type SandboxParts } from './frame/sandbox-api.ts'
import { addFrontPage, type FrontPage, isLocalRequest } from './front-page.ts'
import { createRateTable, MIN_TABLE_RATE, ROW_SECONDS } from './rate-table.ts'
import { type SandboxOperator, type SandboxServers, startSandboxServers } from './sandbox-servers.ts'
import { createScreen, type Screen, type ScreenOutput } from './screen.ts'

export interface SandboxOptions {
  readonly seed: number
  /** Bets per second; 0 means no bettors. */
  readonly rate: number
  /** Seconds; 0 means until the signal. */
  readonly duration: number
  /** Fraction of calls that fail, from 0 to 1. */
  readonly faults: number
  readonly quiet: boolean
  /** Two operators with a gateway instead of one operator. */
  readonly gateway: boolean
  /** Also prints the address of each server. */
  readonly addresses: boolean
}

export interface SandboxDeps {
  readonly output: ScreenOutput
  readonly noColour: boolean
  /** Stops the bettors and ends the sandbox cleanly. */
  readonly signal: AbortSignal
}

const BY_HAND_MS = 1_000
/** Longest wait at the end for the next finished delivery. The rest is sent at the next start. */
const DRAIN_MS = 30_000

/** Returns true if audit and reconcile find nothing. */
export async function runSandbox(config: Config, options: SandboxOptions, deps: SandboxDeps): Promise<boolean> {
  const closers: (() => Promise<void>)[] = []
  try {
    let page: FrontPage | undefined
    let parts: SandboxParts | undefined
    const addRoutes = (app: FastifyInstance, { admission }: ConsoleAuth) => {
      addFrontPage(app, () => page)
      addSandboxApi(app, { admission, log: createLogger(config.logLevel), parts: () => parts })
    }
    const sandbox = { addRoutes, mayEnter: isLocalRequest }
    const stage = await startSandboxServers(config, { ...options, sandbox }, (close) => closers.push(close))
    const demo = await createDemo(stage)
    page = buildFrontPage(stage, config, demo)
    const frame = options.gateway
      ? undefined
      : await startDemoFrame(stage, options.seed, config.freebetStake === 'promotions')
    if (frame !== undefined) closers.push(() => frame.stop())
    parts = { wallet: (stage.operators[0] as SandboxOperator).wallet, platform: stage.platform, frame }
    return await runSession(stage, config, demo, options, deps)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function runSession(
  stage: SandboxServers,
  config: Config,
  demo: Demo,
  options: SandboxOptions,
  deps: SandboxDeps,
): Promise<boolean> {
  const { operators, platform, network } = stage
  const screen = createScreen(deps.output, deps.noColour)
  const isTable = options.rate > MIN_TABLE_RATE
  const activityLog = createActivityLog({ screen, quiet: options.quiet || isTable })
  const byHand = await watchManualBets(operators, activityLog.byHand)
  for (const line of formatWelcome(stage, config, demo, options.addresses)) screen.line(line)
  const changes = await followChangesOnTable(platform, isTable ? activityLog : undefined)
  const watch = createBetWatch({ platform, changes, onSteps: isTable ? undefined : activityLog.bet })
  const table = createRateTable()
  const tick = () => {
    if (isTable && !options.quiet) for (const row of table.row(activityLog.countOf, Date.now())) screen.line(row)
    screen.counter(activityLog.counter(network.counts))
  }
  const pollers = [
    pollRepeatedly(activityLog, BET_POLL_MS, async () => {
      await watch.poll()
      if (options.rate > 0) tick()
    }),
    pollRepeatedly(activityLog, BY_HAND_MS, byHand.poll),
  ]
  if (options.rate > 0) {
    for (const line of formatIntroduction(options)) screen.line(line)
    await simulateBettors({ operators, platform, watch, activityLog }, { ...options, signal: deps.signal })
  } else await waitForDuration(options.duration, deps.signal)
  for (const { stop } of pollers) await stop()
  await drainDeliveries(stage, watch, screen)
  screen.end()
  return reportTotals(stage, config, activityLog, screen)
}

/** Reads the feed, and counts the changes if bets have no lines. */
async function followChangesOnTable(
  platform: BearerClient,
  activityLog: ActivityLog | undefined,
): Promise<() => Promise<PlatformChange[]>> {
  const next = await followPlatformChanges(platform)
  if (activityLog === undefined) return next
  const tally = createChangeTally()
  return async () => {
    const fresh = await next()
    for (const name of fresh.flatMap(tally)) activityLog.count(name)
    return fresh
  }
}

function pollRepeatedly(activityLog: ActivityLog, every: number, poll: () => Promise<void>): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      await poll().catch((error: unknown) => activityLog.note(`a bet could not be read: ${errorText(error)}`))
      await sleepUntil(Date.now() + every, stopping.signal)
    }
  }
  const ended = run()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}

function formatIntroduction({ seed, rate, faults }: SandboxOptions): string[] {
  const bets = rate === 1 ? 'one bet' : `${rate} bets`
  const percent = Math.floor(faults * 100 + 0.5)
  return [
    `${BETTORS.length} simulated bettors place ${bets} a second; about ${percent} of 100 calls to the wallet fail (--seed ${seed}).`,
    rate > MIN_TABLE_RATE
      ? `These are too many for one line each, so each row sums up ${ROW_SECONDS} s. A bet that you send to the wallet yourself has a line of its own, marked "◀ yours".`
      : 'Each change of a bet prints a line: time (UTC), bet, player, stake, selection → its life so far. A bet that you send to the wallet yourself is marked "◀ yours".',
    '',
  ].flatMap(wrapForTerminal)
}

function waitForDuration(duration: number, signal: AbortSignal): Promise<void> {
  return sleepUntil(duration === 0 ? Number.POSITIVE_INFINITY : Date.now() + duration * 1000, signal)
}

/** Waits without faults until every delivery has ended, and reports the last bets. */
async function drainDeliveries(stage: SandboxServers, watch: BetWatch, screen: Screen): Promise<void> {
  const { network } = stage
  network.disableFaults()
  let until = Date.now() + DRAIN_MS
  let left = await countPendingDeliveries(stage)
  if (left !== '0') screen.line(`stopping: no more bets; open deliveries: ${left} …`)
  while (left !== '0' && Date.now() < until) {
    await watch.poll()
    await new Promise((resolve) => setTimeout(resolve, BET_POLL_MS))
    const before = left
    left = await countPendingDeliveries(stage)
    if (left !== before) until = Date.now() + DRAIN_MS
  }
  await network.idle()
  await watch.settle(Date.now() + DRAIN_MS)
  if (left !== '0') screen.line(`open deliveries: ${left}; they continue at the next start`)
}

/** "500+" if a page does not contain all. */
async function countPendingDeliveries({ platform, operators }: SandboxServers): Promise<string> {
  const pages = await Promise.all(
    operators.map(({ partnerId }) => {
      const path = `/deliveries?status=pending,waiting&partnerId=${partnerId}&limit=500`
      return platform.fetchJson<{ data: unknown[]; next: string | null }>('GET', path)
    }),
  )
  const count = pages.reduce((sum, { data }) => sum + data.length, 0)
  return `${count}${pages.every(({ next }) => next === null) ? '' : '+'}`
}

async function reportTotals(
  stage: SandboxServers,
  config: Config,
  activityLog: ActivityLog,
  screen: Screen,
): Promise<boolean> {
  const { operators, network } = stage
  for (const line of ['', ...formatKeyLines(stage, config), '', ...activityLog.totals(network.counts)])
    screen.line(line)
  let isClean = true
  for (const operator of operators) isClean = (await isConsistent(stage, operator, screen)) && isClean
  return isClean
}

/** Runs the wallet's audit and reconcile. */
async function isConsistent({ db }: SandboxServers, operator: SandboxOperator, screen: Screen): Promise<boolean> {
  const { wallet, partnerId } = operator
  const audit = await wallet.fetchJson<{ ok: boolean; findings: object[] }>('GET', '/operator/audit')
  for (const finding of audit.findings) screen.line(`audit: ${JSON.stringify(finding)}`)
  screen.line(audit.ok ? 'audit: no findings' : `audit: ${audit.findings.length} findings`)
  const bettors = new Set(BETTORS.map(({ userId }) => userId))
  const byHand = (player: string) => !bettors.has(player)
  const source = operator.db === db ? ({ kind: 'same' } as const) : ({ kind: 'database', db: operator.db } as const)
  let refused = 0
  const summary = await reconcile({ platform: db, wallet: source, partnerId, byHand }, (finding) => {
    if (finding.kind === 'owed' && finding.details.code === CLAWBACK_REFUSED_CODE) refused += 1
    for (const line of wrapForTerminal(formatFinding(finding))) screen.line(line)
  })
  for (const line of wrapForTerminal(formatSummary(summary))) screen.line(line)
  return audit.ok && summary.differences === refused
}

/** The wallet's policy allows it to reject a clawback, a reversal beyond the balance (L-2). */
const CLAWBACK_REFUSED_CODE = replyCode('recalculation_negative')
