/** The API reference in a real browser: both APIs are there, it works without a network, and nobody else is called. */
import { existsSync, readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { registerApiReference } from '../src/api-reference.ts'
import { startWallet, type TestWallet } from './support/wallet.ts'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const COMMITTED = readFileSync(new URL('../openapi/wallet.json', import.meta.url), 'utf8')

const disk = vi.hoisted(() => ({ fails: false }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const readFile = (path: URL, encoding: 'utf8') =>
    disk.fails ? Promise.reject(new Error('too many open files')) : real.readFile(path, encoding)
  return { ...real, readFile }
})

let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(() => wallet.stop())

test('GET /openapi.json is the committed document', async () => {
  const response = await fetch(`${wallet.url}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.text()).toBe(COMMITTED)
})

test('a document that could not be read is read again when it is asked for again', async () => {
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

test('the page forbids the browser to load anything from elsewhere', async () => {
  const { headers } = await fetch(`${wallet.url}/docs`)
  const directives = (headers.get('content-security-policy') ?? '').split('; ')
  expect(directives).toContain("default-src 'self'")
  expect(directives.filter((directive) => /https?:|\*/.test(directive))).toEqual([])
  expect(directives.filter((directive) => directive.startsWith('script-src'))).toEqual([])
})

describe('in Chromium, the page', () => {
  let browser: Browser
  let page: Page
  /** Everything that the browser asked for. */
  const requests: string[] = []
  /** What the browser complained about: errors, refused loads, uncaught exceptions. */
  const complaints: string[] = []

  beforeAll(async () => {
    if (!existsSync(CHROMIUM))
      throw new Error(`no Chromium at ${CHROMIUM}: install Debian's chromium or set CHROMIUM_PATH`)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    page = await browser.newPage()
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${wallet.url}/docs`)
    await page.getByRole('heading', { name: /^Purser wallet/ }).waitFor()
  })
  afterAll(() => browser?.close())

  test('shows the partner wire and the operator API, every operation of both', async () => {
    const headings = (await page.locator('h2').allTextContents()).map((text) => text.trim())
    expect(headings).toEqual(
      expect.arrayContaining(['Partner wire', 'Operator: players', 'Operator: money', 'Operator: bets']),
    )
    const operations = Object.values(JSON.parse(COMMITTED).paths as Record<string, object>).flatMap(Object.values)
    expect(headings).toEqual(expect.arrayContaining(operations.map(({ summary }) => summary)))
  })

  test('shows the three messages of PUT /payment/bet and a recorded example', async () => {
    const operation = page.locator('[id="tag/Partner-wire/operation/changeBet"]')
    for (const name of ['Settle', 'Unsettle', 'Rollback']) {
      expect(await operation.getByRole('button', { name, exact: true }).count(), name).toBe(1)
    }
    expect(await operation.textContent()).toContain('"resultType": "won"')
  })

  test('finds an operation by a word, in a worker of its own', async () => {
    await page.getByRole('textbox').first().fill('anomal')
    const found = page.locator('[data-role="search:results"]').getByText('Calls that contradict a bet')
    await found.waitFor()
    expect(await found.count()).toBe(1)
  })

  test('has called nobody but its own server, and nothing failed', () => {
    const own = [`${wallet.url}/`, `blob:${wallet.url}/`, 'data:']
    expect(requests.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([])
    expect(requests).toEqual(expect.arrayContaining([`${wallet.url}/docs/redoc.js`, `${wallet.url}/openapi.json`]))
    expect(complaints).toEqual([])
  })
})
