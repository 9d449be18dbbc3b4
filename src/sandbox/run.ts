/**
 * The sandbox: wallet and platform on one database in one process, a bad network between them, and simulated bettors. It
 * drives both over their HTTP APIs, as anybody outside would. In the end it shows that both sides agree: audit, reconcile.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../db/open.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { lineOf, summaryLine } from '../reconcile/report.ts'
import { serveWallet } from '../serve.ts'
import { servePlatform } from '../serve-platform.ts'
import { type Api, createApi } from './api.ts'
import { createDemoPlayers, welcome } from './demo.ts'
import { type BadNetwork, startBadNetwork } from './faults.ts'
import { play } from './play.ts'
import { createRandom } from './random.ts'
import { createStory, type Story } from './story.ts'
import { createScreen, type Output, type Screen } from './terminal.ts'
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
}

export interface SandboxDeps {
  readonly output: Output
  readonly noColour: boolean
  /** Stops the bettors and ends the sandbox cleanly. */
  readonly signal: AbortSignal
}

const PARTNER = 'sandbox'
/** Milliseconds that the end waits for deliveries; what is left goes out at the next start. */
const DRAIN_MS = 30_000

/** Resolves to true when in the end audit and reconcile find nothing. */
export async function runSandbox(config: Config, options: SandboxOptions, deps: SandboxDeps): Promise<boolean> {
  const closers: (() => Promise<void>)[] = []
  try {
    const stage = await build(config, options, closers)
    return await show(stage, config, options, deps)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

interface Stage {
  readonly db: Db
  readonly wallet: Api
  readonly platform: Api
  readonly network: BadNetwork
}

/** Everything that runs; each part's end is put before those that it needs. */
async function build(
  config: Config,
  { faults, seed }: SandboxOptions,
  closers: (() => Promise<void>)[],
): Promise<Stage> {
  const quiet = { ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }
  const db = await openDb(config.store)
  closers.push(() => db.close())
  const wallet = await serveWallet(quiet, { db })
  closers.push(() => wallet.close())
  const network = await startBadNetwork(wallet.url, faults, createRandom(seed, 'faults'))
  closers.push(() => network.close())
  const platform = await servePlatform({ ...quiet, port: config.port === 0 ? 0 : config.port + 1 }, { db })
  closers.push(() => platform.close())
  const api = createApi(platform.url, config.platformKey)
  await api.get('POST', '/partners', { partnerId: PARTNER, baseUrl: network.url, secret: config.secrets[0] })
  return { db, wallet: createApi(wallet.url, config.operatorKey), platform: api, network }
}

async function show(stage: Stage, config: Config, options: SandboxOptions, deps: SandboxDeps): Promise<boolean> {
  const { wallet, platform, network } = stage
  const screen = createScreen(deps.output, deps.noColour)
  const addresses = { walletUrl: wallet.url, platformUrl: platform.url }
  for (const line of welcome(addresses, config, await createDemoPlayers(wallet))) screen.line(line)
  const story = createStory({ screen, quiet: options.quiet })
  const watch = createWatch(platform, story.bet)
  if (options.rate > 0) {
    for (const line of introduction(options)) screen.line(line)
    const tick = () => screen.counter(story.counters(network.counts))
    await play({ wallet, platform, partnerId: PARTNER, watch, story, tick }, { ...options, signal: deps.signal })
  } else await idle(options.duration, deps.signal)
  await drain(stage, watch, screen)
  screen.end()
  return report(stage, config, story, screen)
}

function introduction({ seed, rate, faults }: SandboxOptions): string[] {
  return [
    `${BETTORS.length} simulated bettors place ${rate === 1 ? 'one bet' : `${rate} bets`} a second; of 100 calls to the wallet about ${Math.floor(faults * 100 + 0.5)} go wrong (--seed ${seed}).`,
    'A bet gets a new line whenever something happens to it: time (UTC), bet, player, stake, selection → its life so far.',
    '',
  ]
}

function idle(duration: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const forever = 2 ** 31 - 1
    const timer = setTimeout(done, duration === 0 ? forever : duration * 1000)
    function done() {
      clearTimeout(timer)
      resolve()
    }
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
  })
}

/** Waits until every delivery is over, on a network that works again, and tells what becomes of the last bets. */
async function drain({ platform, network }: Stage, watch: Watch, screen: Screen): Promise<void> {
  network.calm()
  const until = Date.now() + DRAIN_MS
  let left = await countMoving(platform)
  if (left !== '0') screen.line(`stopping: no more bets; deliveries on their way: ${left} …`)
  while (left !== '0' && Date.now() < until) {
    await watch.look()
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    left = await countMoving(platform)
  }
  await network.idle()
  await watch.settle(until)
  if (left !== '0') screen.line(`deliveries still on their way: ${left}; they go on at the next start`)
}

/** "500+" when there are more than a page shows. */
async function countMoving(platform: Api): Promise<string> {
  const path = `/deliveries?status=pending,waiting&partnerId=${PARTNER}&limit=500`
  const { data, next } = await platform.get<{ data: unknown[]; next: string | null }>('GET', path)
  return `${data.length}${next === null ? '' : '+'}`
}

async function report({ db, wallet, network }: Stage, config: Config, story: Story, screen: Screen): Promise<boolean> {
  const faults = [...network.counts].map(([fault, count]) => `${count} ${fault}`)
  screen.line('')
  screen.line(story.counters(network.counts))
  if (faults.length > 0) screen.line(`what went wrong between platform and wallet: ${faults.join(', ')}`)
  const audit = await wallet.get<{ ok: boolean; findings: object[] }>('GET', '/operator/audit')
  for (const finding of audit.findings) screen.line(`audit: ${JSON.stringify(finding)}`)
  screen.line(audit.ok ? 'audit: no findings' : `audit: ${audit.findings.length} findings`)
  const bettors = new Set(BETTORS.map(({ userId }) => userId))
  const byHand = (player: string) => !bettors.has(player)
  const options = { platform: db, wallet: { kind: 'same' }, scales: config.scales, partnerId: PARTNER, byHand } as const
  const summary = await reconcile(options, (finding) => screen.line(lineOf(finding)))
  screen.line(summaryLine(summary))
  return audit.ok && summary.differences === 0
}
