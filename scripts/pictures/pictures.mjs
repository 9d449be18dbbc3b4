/**
 * `npm run pictures` takes pictures of the console in Chromium. A sandbox makes the data. The
 * pictures for the docs go to docs/images/console, and the demo becomes a short film. Pages in
 * unusual states (empty, loading, errors, long names) go to pictures/, for review only.
 *
 * - `npm run pictures -- states` takes only the pages in unusual states.
 * - `npm run pictures -- states error what-if` takes the states whose names begin with these words.
 * - `film` and `docs` take only the film, or the pictures of the docs.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { animate } from './animation.mjs'
import { createApiCaller, startSandbox } from './servers.mjs'
import { smallPng } from './small-png.mjs'
import { takeStates } from './states.mjs'

const OUT = fileURLToPath(new URL('../../docs/images/console/', import.meta.url))
const LOOKS = fileURLToPath(new URL('../../pictures/', import.meta.url))
/** The kit waits for late calls, and the machine may be busy. */
const JUDGE_MS = 600_000
const HEIGHT = 860
const PAGES = [
  'now',
  'bets',
  'calls',
  'players',
  'players/robin',
  'money',
  'reports',
  'deliveries',
  'settings',
  'conformance',
]

/** Prepares troubles, an adjustment, a refused signature, and a refused result. */
async function play({ url, key }) {
  const ask = createApiCaller({ url, key })
  const trouble = (name) => ask('POST', '/sandbox/frame/troubles', { trouble: name })
  await fetch(`${url}/user/profile`, {
    ...{ method: 'POST', body: '{"token":"not-a-token"}' },
    headers: { 'x-sign-jws': `eyJhbGciOiJIUzI1NiJ9..${'A'.repeat(43)}` },
  })
  for (const [name, role] of [
    ['reports', 'read'],
    ['support-desk', 'support'],
  ])
    await ask('POST', '/operator/keys', { name, role })
  const lost = await trouble('lost answer')
  const corrected = await trouble('correct')
  await trouble('twice')
  const { matches } = await ask('GET', '/sandbox/frame')
  const betRequest = { matchId: matches[1].id, outcome: 'home', stake: '25.00' }
  const { betId } = await ask('POST', '/sandbox/frame/bets', betRequest)
  await ask('POST', `/sandbox/frame/bets/${betId}`, { what: 'won' })
  const { balances } = await ask('GET', '/operator/players/robin/balances')
  const move = { currency: 'EUR', amount: balances[0].amount, reference: 'to the bank' }
  await ask('POST', '/operator/players/robin/withdrawals', move)
  await ask('POST', `/sandbox/frame/bets/${betId}`, { what: 'correct' })
  for (let i = 0; i < 3; i++) await ask('POST', '/sandbox/frame/money')
  return { lost: lost.betIds[0], corrected: corrected.betIds[0] }
}

/** Runs last, because the kit's money then stays in the books. */
async function judge(page) {
  await page.getByRole('button', { name: 'Run conformance tests' }).click()
  await page.getByRole('status').getByText('Conforms', { exact: true }).waitFor({ timeout: JUDGE_MS })
  await page.getByRole('button', { name: 'Run conformance tests' }).waitFor() // the run has ended
}

async function take(browser, { url }, bets) {
  const table = await browser.newPage()
  const open = async (colorScheme, width, height) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${url}/console/`)
    return page
  }
  /** A higher window instead of a long page, so that sticky elements stay in place. */
  const shoot = async (page, name, whole = false) => {
    await page.waitForLoadState('load')
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    if (name !== 'sign-in') await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
    const { width } = page.viewportSize()
    if (whole)
      await page.setViewportSize({ width, height: await page.evaluate('document.documentElement.scrollHeight') })
    await page.evaluate('scrollTo(0, 0)')
    writeFileSync(`${OUT}${name}.png`, await smallPng(table, await page.screenshot()))
    if (whole) await page.setViewportSize({ width, height: HEIGHT })
    process.stdout.write(`docs/images/console/${name}.png\n`)
  }
  for (const [scheme, width, suffix] of [
    ['light', 1280, ''],
    ['dark', 1280, '-dark'],
    ['light', 360, '-phone'],
  ]) {
    const page = await open(scheme, width, HEIGHT)
    const enter = page.getByRole('button', { name: 'Open the sandbox' })
    await enter.waitFor()
    if (suffix === '') await shoot(page, 'sign-in')
    await enter.click()
    await page.locator('.odds').first().waitFor()
    if (suffix !== '-phone') {
      await page.locator('.trouble', { hasText: 'Two bets of 80 on 100' }).click()
      await page.locator('.caption').first().waitFor()
      await page.locator('.purse', { hasText: ' 20.00 EUR' }).waitFor() // the page reloads the balance
    }
    await shoot(page, `demo${suffix}`, suffix !== '-phone')
    await page.goto(`${url}/console/bets/${bets.corrected}`)
    await page.locator('[data-moment]').last().click()
    await page.locator('.moment').getByText('IP address', { exact: true }).waitFor() // the journal is read after the bet
    await shoot(page, `bet${suffix}`, suffix !== '-phone')
    if (suffix !== '') continue
    for (const name of PAGES) {
      await page.goto(`${url}/console/${name}`)
      if (name === 'conformance') await judge(page)
      await page.locator('.card td, .card .issue-count, .card .plot canvas').first().waitFor()
      if (name === 'calls') await page.locator('.call-name').nth(2).click()
      await shoot(page, name.replace('players/robin', 'player'))
    }
    await page.goto(`${url}/console/find?q=${bets.lost.slice(0, 6)}`)
    await page.locator('main .card').first().waitFor()
    await shoot(page, 'find')
  }
}

/** A new sandbox for each, because an open bet would move money in later pictures. */
async function inSandbox(work) {
  const sandbox = await startSandbox()
  await work(sandbox).finally(() => sandbox.stop())
}

const [part, ...states] = process.argv.slice(2)
const isWanted = (what) => part === undefined || part === what

for (const folder of [OUT, LOOKS]) mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  if (isWanted('film'))
    await inSandbox(async ({ url }) => {
      await animate(browser, url, `${OUT}demo.gif`)
      process.stdout.write('docs/images/console/demo.gif\n')
    })
  if (isWanted('docs')) await inSandbox(async (sandbox) => take(browser, sandbox, await play(sandbox)))
  if (isWanted('states')) await takeStates(browser, LOOKS, states)
} finally {
  await browser.close()
}
