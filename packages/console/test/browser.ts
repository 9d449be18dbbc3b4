/** Starts a browser for the tests of the console, and collects the errors of its pages. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * A sandbox without other calls, so its platform never considers the wallet down, and no other
 * delivery needs attention.
 */
export const ALONE = ['--rate', '0', '--faults', '0'] as const

/** With `hasScrollbars` scrollbars take space, as with a mouse; otherwise none, as on a phone. */
export async function launch({ hasScrollbars = false } = {}): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`no Chromium at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`)
  const quiet = ['--disable-background-networking', '--disable-component-update']
  return chromium.launch({
    ...{ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', ...quiet] },
    ...(hasScrollbars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
  })
}

export interface WatchedPage {
  readonly page: Page
  /** Errors, refused loads, uncaught exceptions, and requests to other servers. */
  readonly complaints: string[]
}

export async function open(context: BrowserContext, base: string, path: string): Promise<WatchedPage> {
  const page = await context.newPage()
  const complaints = complaintsOf(page, base)
  await page.goto(base + path)
  return { page, complaints }
}

/** The list grows while the page is open. */
export function complaintsOf(page: Page, base: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${base}/`) && !url.startsWith('blob:')) complaints.push(`asked ${url}`)
  })
  return complaints
}

interface AxeResults {
  readonly violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[]
}

/** The rules that another colour scheme can break. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/**
 * Expects no serious fault for users with low vision or without a mouse, by all rules or by these.
 */
async function expectAccessible(page: Page, what: string, rules?: readonly string[]): Promise<void> {
  await bringAxe(page)
  const chosen = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(chosen)})`)) as AxeResults
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    what,
  ).toEqual([])
}

/** Loads axe once for each document. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate("'axe' in window")) return
  const bypassed = await page.context().newCDPSession(page)
  // our policy permits no foreign script, axe included
  await bypassed.send('Page.setBypassCSP', { enabled: true })
  await page.evaluate(readFileSync(AXE, 'utf8'))
}

export async function signedIn(browser: Browser, url: string, key: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })
  const headers = { 'x-purser-console': '1' }
  const answer = await context.request.post(`${url}/console/api/session`, { headers, data: { key } })
  expect(answer.status()).toBe(200)
  return context
}

/**
 * The page is checked light and dark, and on the narrowest phone and the widest screen without
 * horizontal scrolling.
 */
export async function expectAccessibleEverywhere(page: Page, what: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectAccessible(page, `${what}, light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page, `${what}, dark`, COLOURS)
  const size = page.viewportSize() ?? { width: 1280, height: 900 }
  for (const width of [360, 2560]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
  await page.setViewportSize(size)
}

/** In pixels from the top of the window. */
export async function middleOf(what: Locator): Promise<number> {
  const { y, height } = (await what.boundingBox())!
  return y + height / 2
}
