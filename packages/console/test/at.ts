/** Sets up a console test: a browser, a server, a signed-in user, and a new page for each test. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { startUntil } from '../../server/test/cli/command.ts'
import { type Scene, startScene } from '../../server/test/platform/scene.ts'
import { CITUS_BUCKETS, createDatabase } from '../../server/test/support/database.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { ALONE, launch, signedIn } from './browser.ts'

export interface At<S> {
  readonly server: S
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  /** Opens a path below /console. */
  see(path?: string): Promise<unknown>
}

interface Stage<S> {
  start(): Promise<S>
  enter(browser: Browser, server: S): Promise<BrowserContext>
  urlOf(server: S): string
  stop(server: S): Promise<unknown>
}

/** The environment lives as long as the file, or the `describe`, that calls this function. */
function at<S>({ start, enter, urlOf, stop }: Stage<S>): At<S> {
  const made: { browser?: Browser; server?: S; context?: BrowserContext; page?: Page } = {}
  const known = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('there is none outside of a test')
    return part
  }
  beforeAll(async () => {
    made.browser = await launch()
    made.server = await start()
    made.context = await enter(made.browser, made.server)
  })
  beforeEach(async () => {
    const page = await known(made.context).newPage()
    made.page = page
    return () => page.close()
  })
  afterAll(async () => {
    await made.browser?.close()
    if (made.server !== undefined) await stop(made.server)
  })
  return {
    get server() {
      return known(made.server)
    },
    get browser() {
      return known(made.browser)
    },
    get context() {
      return known(made.context)
    },
    get page() {
      return known(made.page)
    },
    see: (path = '') => known(made.page).goto(`${urlOf(known(made.server))}/console${path}`),
  }
}

/** A wallet, which is audited at the end. `prepare` runs before the sign-in. */
export function atWallet(
  options: Parameters<typeof startWallet>[0] = {},
  prepare: (wallet: TestWallet) => void | Promise<void> = () => {},
): At<TestWallet> {
  return at({
    async start() {
      const wallet = await startWallet(options)
      await prepare(wallet)
      return wallet
    },
    enter: (browser, { url, operatorKey }) => signedIn(browser, url, operatorKey),
    urlOf: ({ url }) => url,
    async stop(wallet) {
      await wallet.auditIsClean()
      await wallet.stop()
    },
  })
}

/** A platform with one scripted partner, on a clock that the test advances. */
export function atPlatform(prepare: (scene: Scene) => Promise<void> = async () => {}): At<Scene> {
  return at({
    async start() {
      const scene = await startScene()
      await prepare(scene)
      return scene
    },
    enter: (browser, { platform }) => signedIn(browser, platform.url, platform.key),
    urlOf: ({ platform }) => platform.url,
    stop: (scene) => scene.stop(),
  })
}

export interface Sandbox {
  readonly url: string
  /** The operator API's key. */
  readonly key: string
  /** The platform's secret. */
  readonly secret: string
  output(): string
  stop(): Promise<unknown>
}

/** No bets are placed automatically. The data are in memory, or on Citus in its tests. */
export async function startSandbox(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const database = inject('citusWorkers') === undefined ? undefined : await createDatabase()
  const store =
    database === undefined
      ? { PURSER_DATA_DIR: 'memory://' }
      : { DATABASE_URL: database.url, PURSER_BUCKETS: String(CITUS_BUCKETS) }
  const settings = { PORT: '0', ...store, ...env }
  const { output, kill } = await startUntil(/Ctrl-C stops it/, ['sandbox', ...ALONE], settings)
  const named = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(output())?.[1] as string
  return {
    url: named('Purser wallet'),
    key: named('Operator key'),
    secret: named('Partner secret'),
    output,
    async stop() {
      await kill('SIGKILL')
      await database?.drop()
    },
  }
}

/** Signs in with the one click of the first page. */
export async function enterSandbox(browser: Browser, { url }: Sandbox): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })
  await context.request.post(`${url}/console/api/session`, { headers: { 'x-purser-console': '1' }, data: {} })
  return context
}

/** A sandbox without other bets, after the one-click sign-in. */
export function atSandbox(env: Readonly<Record<string, string>> = {}): At<Sandbox> {
  return at({
    start: () => startSandbox(env),
    enter: enterSandbox,
    urlOf: ({ url }) => url,
    stop: ({ stop }) => stop(),
  })
}
