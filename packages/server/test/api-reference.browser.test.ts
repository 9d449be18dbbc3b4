/**
 * In a real browser, the API references show every operation, work offline and call no other
 * server.
 */
import { existsSync, readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ServerName } from '../src/core/http/api/api-reference.ts'
import { startGateway } from './support/gateway.ts'
import { startPlatform } from './support/platform.ts'
import { startWallet } from './support/wallet.ts'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const committed = (server: ServerName) => readFileSync(new URL(`../openapi/${server}.json`, import.meta.url), 'utf8')

const disk = vi.hoisted(() => ({ fails: false }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const readFile = (path: URL, encoding: 'utf8') =>
    disk.fails ? Promise.reject(new Error('too many open files')) : real.readFile(path, encoding)
  return { ...real, readFile }
})

const urls = { wallet: '', platform: '', gateway: '' }
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  for (const [server, start] of [
    ['wallet', startWallet],
    ['platform', startPlatform],
    ['gateway', startGateway],
  ] as const) {
    const { url, stop } = await start()
    urls[server] = url
    stops.push(stop)
  }
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

const SERVERS = ['wallet', 'platform', 'gateway'] as const

test.each(SERVERS)('GET /openapi.json of the %s returns the committed document and needs no key', async (server) => {
  const response = await fetch(`${urls[server]}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.text()).toBe(committed(server))
})

test('the server reads its document again after a read that failed', async () => {
  vi.resetModules() // another file of this process may have loaded the module with the real disk
  const { registerApiReference } = await import('../src/core/http/api/api-reference.ts')
  const app = Fastify()
  registerApiReference(app, 'wallet')
  const statuses: number[] = []
  for (const fails of [true, false]) {
    disk.fails = fails
    statuses.push((await app.inject('/openapi.json')).statusCode)
  }
  expect(statuses).toEqual([500, 200])
  await app.close()
})

test.each(SERVERS)('the page of the %s forbids the browser to load anything from other origins', async (server) => {
  const { headers } = await fetch(`${urls[server]}/docs`)
  const directives = (headers.get('content-security-policy') ?? '').split('; ')
  expect(directives).toContain("default-src 'self'")
  expect(directives.filter((directive) => /https?:|\*/.test(directive))).toEqual([])
  expect(directives.filter((directive) => directive.startsWith('script-src'))).toEqual([])
})

describe('in Chromium,', () => {
  let browser: Browser
  beforeAll(async () => {
    if (!existsSync(CHROMIUM))
      throw new Error(`no Chromium at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(() => browser?.close())

  describe.each([
    { server: 'wallet', groups: ['Partner wire', 'Operator: players', 'Operator: money', 'Operator: bets'] },
    { server: 'platform', groups: ['Partners', 'Bets', 'Events', 'Deliveries'] },
    { server: 'gateway', groups: ['Operators'] },
  ] as const)('the page of the $server', ({ server, groups }) => {
    let page: Page
    const requests: string[] = []
    /** Errors, refused loads and uncaught exceptions of the browser. */
    const complaints: string[] = []

    beforeAll(async () => {
      page = await browser.newPage()
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(`${urls[server]}/docs`)
      await page.getByRole('heading', { name: `Purser ${server}` }).waitFor()
    })

    test('shows every operation in its group', async () => {
      const headings = (await page.locator('h2').allTextContents()).map((text) => text.trim())
      expect(headings).toEqual(expect.arrayContaining([...groups]))
      const operations = Object.values(JSON.parse(committed(server)).paths as Record<string, object>).flatMap(
        Object.values,
      )
      expect(headings).toEqual(expect.arrayContaining(operations.map(({ summary }) => summary)))
    })

    if (server === 'wallet')
      test('shows the three messages of PUT /payment/bet and a recorded example', async () => {
        const operation = page.locator('[id="tag/Partner-wire/operation/changeBet"]')
        for (const name of ['Settle', 'Unsettle', 'Rollback']) {
          expect(await operation.getByRole('button', { name, exact: true }).count(), name).toBe(1)
        }
        expect(await operation.textContent()).toContain('"resultType": "won"')
      })

    if (server === 'platform')
      test('shows a recorded bet with its attempts, and the problems of a bet that is placed twice', async () => {
        expect(await page.locator('[id="tag/Bets/operation/getBet"]').textContent()).toContain('"attemptList"')
        const place = await page.locator('[id="tag/Bets/operation/placeBet"]').textContent()
        for (const part of ['idempotency-key', 'still_running', 'idempotency_key_reused']) expect(place).toContain(part)
      })

    test('finds an operation by a word, in a worker of its own', async () => {
      const [word, summary] = SEARCHES[server]
      await page.getByRole('textbox').first().fill(word)
      const found = page.locator('[data-role="search:results"]').getByText(summary)
      await found.waitFor()
      expect(await found.count()).toBe(1)
    })

    test('calls only its own server, and no request fails', () => {
      const url = urls[server]
      const own = [`${url}/`, `blob:${url}/`, 'data:']
      expect(requests.filter((asked) => !own.some((start) => asked.startsWith(start)))).toEqual([])
      expect(requests).toEqual(expect.arrayContaining([`${url}/docs/redoc.js`, `${url}/openapi.json`]))
      expect(complaints).toEqual([])
    })
  })
})

const SEARCHES = {
  wallet: ['anomal', 'calls that contradict their bet'],
  platform: ['stuck', 'Retry a stuck or rejected delivery'],
  gateway: ['exchange', "Exchange an operator's token for a token of the gateway"],
} as const
