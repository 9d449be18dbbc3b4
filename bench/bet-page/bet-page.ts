// Measures how fast the picture of a bet appears in a browser, on a day of a million bets. See
// bench/README.md.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { openDb } from 'purser/core/database/database-factory'
import { closeDays } from 'purser/wallet/ledger/daily-sums'
import { parseArguments, parsePositive } from '../arguments.ts'
import { SEED_PLAYERS, seedDatabase, seedJournal, toSeedBetId } from '../lists/seed.ts'
import { startBenchPostgres } from '../postgres.ts'
import { createSecret, MAIN, OPERATOR_KEY, startPurser } from '../subjects.ts'

const DAY_MS = 86_400_000
/** The limit for the picture. */
const WANTED_MS = 300
const PAGE_TIMEOUT_MS = 30_000
const POLL_MS = 50
/**
 * A new tab makes the browser start processes for some tenths of a second. A user who follows a
 * link has opened it before.
 */
const TAB_OPEN_MS = 1_000

interface Options {
  readonly bets: number
  readonly rounds: number
  /** A database that was seeded earlier with the same number of bets. */
  readonly database: string | undefined
}

interface PageTiming {
  /**
   * Milliseconds from the navigation to the first frame with the picture, and to the first frame
   * with the times of the calls (from the journal).
   */
  readonly picture: number
  readonly calls: number
}

/** The page itself records both times, so that no other process adds to them. */
const WATCH = `
  const at = { picture: undefined, calls: undefined }
  window.purserSeen = at
  const note = (name, isThere) => {
    if (at[name] !== undefined || !isThere) return
    at[name] = 0
    requestAnimationFrame(() => setTimeout(() => { at[name] = performance.now() }))
  }
  new MutationObserver(() => {
    const answers = [...document.querySelectorAll('svg.timeline .tl-answer')]
    note('picture', answers.length > 0)
    note('calls', answers.some((one) => / ms$/.test(one.textContent)))
  }).observe(document, { childList: true, subtree: true, characterData: true })
`

async function timePage(context: BrowserContext, address: string): Promise<PageTiming> {
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await sleep(TAB_OPEN_MS)
  await page.goto(address)
  const end = performance.now() + PAGE_TIMEOUT_MS
  for (;;) {
    const { picture = 0, calls = 0 } = (await page.evaluate('window.purserSeen')) as Partial<PageTiming>
    if (picture > 0 && calls > 0) return page.close().then(() => ({ picture, calls }))
    if (performance.now() > end) throw new Error(`${address}: no picture with its calls`)
    await sleep(POLL_MS)
  }
}

async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const headers = { 'x-purser-console': '1' }
  const answer = await context.request.post(`${url}/console/api/session`, { headers, data: { key: OPERATOR_KEY } })
  if (answer.status() !== 200) throw new Error(`signing in was answered ${answer.status()}`)
  return context
}

interface Kind {
  readonly what: string
  readonly isKnownPlayer: boolean
  readonly isFirst: boolean
}
const KINDS: readonly Kind[] = [
  { what: 'a player’s bet, first visit', isKnownPlayer: true, isFirst: true },
  { what: 'a player’s bet', isKnownPlayer: true, isFirst: false },
  { what: 'a bet by its id alone', isKnownPlayer: false, isFirst: false },
]

/** Opens another bet each time. A first visit starts with an empty cache. */
async function time(browser: Browser, url: string, { bets, rounds }: Options, kind: Kind): Promise<PageTiming[]> {
  const timings: PageTiming[] = []
  let context = await signedIn(browser, url)
  if (!kind.isFirst) await timePage(context, `${url}/console/bets/${toSeedBetId(1)}`)
  for (let round = 0; round < rounds; round++) {
    const i = Math.trunc(((round + 0.5) / rounds) * bets)
    const path = kind.isKnownPlayer ? `player-${i % SEED_PLAYERS}/${toSeedBetId(i)}` : toSeedBetId(i)
    timings.push(await timePage(context, `${url}/console/bets/${path}`))
    if (!kind.isFirst) continue
    await context.close()
    context = await signedIn(browser, url)
  }
  await context.close()
  return timings
}

function lineOf({ what }: Kind, timings: readonly PageTiming[]): string {
  const cells = (['picture', 'calls'] as const).flatMap((name) => {
    const times = timings.map((one) => Math.round(one[name])).sort((a, b) => a - b)
    return [times[Math.trunc(times.length / 2)], times.at(-1)]
  })
  return `| ${[what, ...cells].join(' | ')} |\n`
}

async function measure(url: string, options: Options): Promise<void> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const say = (text: string) => void process.stdout.write(text)
    say(
      `\nWanted: the picture after ${WANTED_MS} ms\n\n| ${options.rounds} times | Picture, median ms | slowest | With its calls, median ms | slowest |\n|---|---|---|---|---|\n`,
    )
    for (const kind of KINDS) say(lineOf(kind, await time(browser, url, options, kind)))
  } finally {
    await browser.close()
  }
}

async function seeded(url: string, bets: number): Promise<void> {
  const env = { ...process.env, DATABASE_URL: url }
  await promisify(execFile)(process.execPath, [MAIN, 'migrate'], { env })
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  await seedDatabase(url, { bets, players: SEED_PLAYERS, day })
  const db = await openDb({ kind: 'postgres', url })
  await seedJournal(db, bets, day)
  await closeDays(db, new Date())
  await db.close()
  await vacuum(url)
}

/**
 * Does once what Postgres and the wallet do within minutes; no real day inserts a million bets in
 * one minute.
 */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

async function withWallet(database: string, work: (url: string) => Promise<void>): Promise<void> {
  // Some bets of the seeded day belong to this platform.
  const wallet = await startPurser(database, MAIN, { PARTNER_SECRETS: `acme:${createSecret()}` })
  try {
    await work(wallet.url)
  } finally {
    await wallet.stop()
  }
}

async function main(): Promise<void> {
  const { values } = parseArguments(process.argv.slice(2), {
    bets: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
    database: { type: 'string' },
  })
  const [bets, rounds] = [parsePositive('bets', values.bets), parsePositive('rounds', values.rounds)]
  const options = { bets, rounds, database: values.database }
  if (options.database !== undefined) return withWallet(options.database, (url) => measure(url, options))
  const postgres = await startBenchPostgres()
  try {
    await postgres.create('bet_page')
    await seeded(postgres.url('bet_page'), bets)
    await withWallet(postgres.url('bet_page'), (url) => measure(url, options))
  } finally {
    await postgres.stop()
  }
}

await main()
