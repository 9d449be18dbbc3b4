/**
 * The sandbox: wallet and platform on one database in one process, a bad network between them, and simulated bettors. It
 * drives both over their HTTP APIs, as anybody outside would. In the end it shows that both sides agree: audit, reconcile.
 */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { ConsolePeople } from '../people/people.ts'
import { replyCode } from '../protocol/codes.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { lineOf, summaryLine } from '../reconcile/report.ts'
import { errorText } from '../runtime/error-text.ts'
import { createLogger } from '../runtime/logger.ts'
import { wrapped } from '../runtime/wrapped.ts'
import type { Api } from './api.ts'
import { followByHand } from './by-hand.ts'
import { createDemo, type Demo, frontPageOf, keyLines, welcome } from './demo.ts'
import { type Change, followChanges } from './follow.ts'
import { addSandboxApi, type SandboxParts } from './frame/api.ts'
import { startFrame } from './frame/frame.ts'
import { addFrontPage, type FrontPage, isFromHere } from './front-page.ts'
import { play } from './play.ts'
import { buildStage, type House, type Stage } from './stage.ts'
import { createStory, type Story } from './story.ts'
import { createTable, ROW_SECONDS, TABLE_RATE } from './table.ts'
import { createTally } from './tally.ts'
import { createScreen, type Output, type Screen } from './terminal.ts'
import { waitUntil } from './wait.ts'
import { createWatch, LOOK_MS, type Watch } from './watch.ts'
import { BETTORS } from './wishes.ts'

export interface SandboxOptions {
  readonly seed: number
  /** Bets per second; 0: no bettors. */
  readonly rate: number
  /** Seconds; 0 goes on until the signal. */
  readonly duration: number
  /** Part of the calls that go wrong, from 0 to 1. */
  readonly faults: number
  readonly quiet: boolean
  /** Two operators behind a gateway instead of one. */
  readonly gateway: boolean
  /** Says the address of each server too. */
  readonly addresses: boolean
}

export interface SandboxDeps {
  readonly output: Output
  readonly noColour: boolean
  /** Stops the bettors and ends the sandbox cleanly. */
  readonly signal: AbortSignal
}

/** Milliseconds between two looks at the wallet for bets that somebody sent by hand. */
const BY_HAND_MS = 1_000
/** Milliseconds that the end waits for the next delivery to be over; what is left goes out at the next start. */
const DRAIN_MS = 30_000

/** Resolves to true when in the end audit and reconcile find nothing. */
export async function runSandbox(config: Config, options: SandboxOptions, deps: SandboxDeps): Promise<boolean> {
  const closers: (() => Promise<void>)[] = []
  try {
    let page: FrontPage | undefined
    let parts: SandboxParts | undefined
    const addRoutes = (app: FastifyInstance, { admission }: ConsolePeople) => {
      addFrontPage(app, () => page)
      addSandboxApi(app, { admission, log: createLogger(config.logLevel), parts: () => parts })
    }
    const sandbox = { addRoutes, mayEnter: isFromHere }
    const stage = await buildStage(config, { ...options, sandbox }, (close) => closers.push(close))
    const demo = await createDemo(stage)
    page = frontPageOf(stage, config, demo)
    const frame = options.gateway
      ? undefined
      : await startFrame(stage, options.seed, config.freebetStake === 'promotions')
    if (frame !== undefined) closers.push(() => frame.stop())
    parts = { wallet: (stage.houses[0] as House).wallet, platform: stage.platform, frame }
    return await show(stage, config, demo, options, deps)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function show(
  stage: Stage,
  config: Config,
  demo: Demo,
  options: SandboxOptions,
  deps: SandboxDeps,
): Promise<boolean> {
  const { houses, platform, network } = stage
  const screen = createScreen(deps.output, deps.noColour)
  const isTable = options.rate > TABLE_RATE
  const story = createStory({ screen, quiet: options.quiet || isTable })
  const byHand = await followByHand(houses, story.byHand)
  for (const line of welcome(stage, config, demo, options.addresses)) screen.line(line)
  const changes = await changesOf(platform, isTable ? story : undefined)
  const watch = createWatch({ platform, changes, tell: isTable ? undefined : story.bet })
  const table = createTable()
  const tick = () => {
    if (isTable && !options.quiet) for (const row of table.row(story.countOf, Date.now())) screen.line(row)
    screen.counter(story.counter(network.counts))
  }
  const looks = [
    lookAround(story, LOOK_MS, async () => {
      await watch.look()
      if (options.rate > 0) tick()
    }),
    lookAround(story, BY_HAND_MS, byHand.look),
  ]
  if (options.rate > 0) {
    for (const line of introduction(options)) screen.line(line)
    await play({ houses, platform, watch, story }, { ...options, signal: deps.signal })
  } else await idle(options.duration, deps.signal)
  for (const { stop } of looks) await stop()
  await drain(stage, watch, screen)
  screen.end()
  return report(stage, config, story, screen)
}

/** Off the feed; counted for a story that tells no bets. */
async function changesOf(platform: Api, story: Story | undefined): Promise<() => Promise<Change[]>> {
  const next = await followChanges(platform)
  if (story === undefined) return next
  const tally = createTally()
  return async () => {
    const fresh = await next()
    for (const name of fresh.flatMap(tally)) story.count(name)
    return fresh
  }
}

/** Looks again and again, until it is stopped. */
function lookAround(story: Story, every: number, look: () => Promise<void>): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) => story.note(`could not look at a bet: ${errorText(error)}`))
      await waitUntil(Date.now() + every, stopping.signal)
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

function introduction({ seed, rate, faults }: SandboxOptions): string[] {
  const bets = rate === 1 ? 'one bet' : `${rate} bets`
  const percent = Math.floor(faults * 100 + 0.5)
  return [
    `${BETTORS.length} simulated bettors place ${bets} a second; of 100 calls to the wallet about ${percent} go wrong (--seed ${seed}).`,
    rate > TABLE_RATE
      ? `These are too many to be told one by one: a row has what happened in ${ROW_SECONDS} s. A bet that you send to the wallet yourself has a line of its own, marked "◀ yours".`
      : 'A bet gets a new line whenever something happens to it: time (UTC), bet, player, stake, selection → its life so far. A bet that you send to the wallet yourself is marked "◀ yours".',
    '',
  ].flatMap(wrapped)
}

function idle(duration: number, signal: AbortSignal): Promise<void> {
  return waitUntil(duration === 0 ? Number.POSITIVE_INFINITY : Date.now() + duration * 1000, signal)
}

/** Waits until every delivery is over, on a network that works again, and tells what becomes of the last bets. */
async function drain(stage: Stage, watch: Watch, screen: Screen): Promise<void> {
  const { network } = stage
  network.calm()
  let until = Date.now() + DRAIN_MS
  let left = await countMoving(stage)
  if (left !== '0') screen.line(`stopping: no more bets; deliveries that wait: ${left} …`)
  while (left !== '0' && Date.now() < until) {
    await watch.look()
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const before = left
    left = await countMoving(stage)
    if (left !== before) until = Date.now() + DRAIN_MS
  }
  await network.idle()
  await watch.settle(Date.now() + DRAIN_MS)
  if (left !== '0') screen.line(`deliveries that still wait: ${left}; they go on at the next start`)
}

/** "500+" when there are more than a page shows. */
async function countMoving({ platform, houses }: Stage): Promise<string> {
  const pages = await Promise.all(
    houses.map(({ partnerId }) => {
      const path = `/deliveries?status=pending,waiting&partnerId=${partnerId}&limit=500`
      return platform.get<{ data: unknown[]; next: string | null }>('GET', path)
    }),
  )
  const count = pages.reduce((sum, { data }) => sum + data.length, 0)
  return `${count}${pages.every(({ next }) => next === null) ? '' : '+'}`
}

async function report(stage: Stage, config: Config, story: Story, screen: Screen): Promise<boolean> {
  const { houses, network } = stage
  for (const line of ['', ...keyLines(stage, config), '', ...story.sums(network.counts)]) screen.line(line)
  let isClean = true
  for (const house of houses) isClean = (await isInOrder(stage, house, screen)) && isClean
  return isClean
}

/** The wallet's audit, and its books against the platform's. */
async function isInOrder({ db }: Stage, house: House, screen: Screen): Promise<boolean> {
  const { wallet, partnerId } = house
  const audit = await wallet.get<{ ok: boolean; findings: object[] }>('GET', '/operator/audit')
  for (const finding of audit.findings) screen.line(`audit: ${JSON.stringify(finding)}`)
  screen.line(audit.ok ? 'audit: no findings' : `audit: ${audit.findings.length} findings`)
  const bettors = new Set(BETTORS.map(({ userId }) => userId))
  const byHand = (player: string) => !bettors.has(player)
  const source = house.db === db ? ({ kind: 'same' } as const) : ({ kind: 'database', db: house.db } as const)
  let refused = 0
  const summary = await reconcile({ platform: db, wallet: source, partnerId, byHand }, (finding) => {
    if (finding.kind === 'owed' && finding.details.code === NOT_ENOUGH_TO_TAKE_BACK) refused += 1
    for (const line of wrapped(lineOf(finding))) screen.line(line)
  })
  for (const line of wrapped(summaryLine(summary))) screen.line(line)
  return audit.ok && summary.differences === refused
}

/** L-2: the wallet's right, by its clawback policy; a person settles it with the player. */
const NOT_ENOUGH_TO_TAKE_BACK = replyCode('recalculation_negative')
