/**
 * The HTML report is readable in a browser, and needs no script and no request. It shows markup in
 * a wallet's answers as text.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launch } from '../../console/test/browser.ts'
import type { ConformanceReport } from '../src/reports/conformance-report.ts'
import { renderConformanceHtml } from '../src/reports/html/html-report.ts'
import { formatJunitReport } from '../src/reports/junit-report.ts'
import { startTestWallet } from './mutants/wallet.ts'
import { flagsOf, runCommand } from './run-command.ts'

let browser: Browser
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'purser-report-page-'))
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

interface OpenReport {
  readonly page: Page
  readonly requests: string[]
  readonly complaints: string[]
}

async function open(file: string): Promise<OpenReport> {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  const [requests, complaints]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(pathToFileURL(file).href)
  return { page, requests, complaints }
}

describe('the HTML report of a wallet that refunds with each rollback', () => {
  let file: string
  let seen: OpenReport

  beforeAll(async () => {
    file = join(folder, 'report.html')
    const wallet = await startTestWallet({ fault: 'rollback-repeat-refunds' })
    await runCommand({ ...flagsOf(wallet), only: ['place-01', 'rollback'], report: [file] })
    await wallet.close()
    seen = await open(file)
  })

  test('shows the verdict at the top, and each failure begins with its cost', async () => {
    const { page } = seen
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/fails \d+ MUST/)
    expect(await page.locator('h2').allTextContents()).toEqual(['Failed', 'Passed', 'The clauses'])
    expect(await page.locator('article .loses').first().textContent()).toContain('the operator refunds')
  })

  test('folds the calls, and opens them to the exact bytes', async () => {
    const article = seen.page.locator('article').first()
    const request = article.getByLabel('Request').first()
    await article.locator('summary').first().click()
    expect(await article.locator('li summary').first().textContent()).toMatch(
      /^Place bet X 100 → 200 \{"transactionId":/,
    )
    expect(await request.isVisible()).toBe(false)
    await article.locator('li summary').first().click()
    expect(await request.textContent()).toMatch(
      /^POST http:\S+\ncontent-type: application\/json\nx-sign-jws: [\w-]+\.\.masked\n\n\{"requestId":/,
    )
  })

  test('draws the calls: attempts on the wire, and the balance after each', async () => {
    const picture = seen.page.locator('article').first().locator('svg.timeline')
    expect(await picture.locator('.tl-title').allTextContents()).toContain('Place bet X 100')
    expect(await picture.locator('.tl-amount').allTextContents()).toEqual(expect.arrayContaining(['−100', '+100']))
    expect(await picture.locator('.tl-step').count()).toBe(1)
    expect(await picture.locator('[role=button]').count()).toBe(0)
  })

  test('opens one verdict alone by its address', async () => {
    const { page } = seen
    await page.getByRole('button', { name: /^Passed/ }).click()
    const visible = await page
      .locator('main > section')
      .evaluateAll((all) =>
        all.filter((one) => (one as unknown as { offsetHeight: number }).offsetHeight > 0).map(({ id }) => id),
      )
    expect(visible).toEqual(['passed'])
    expect(await page.getByRole('button', { pressed: true }).textContent()).toMatch(/^Passed/)
    await page.getByRole('button', { name: /^All/ }).click()
  })

  test('fits a phone, names its controls, and opens everything for print', async () => {
    const { page } = seen
    const measure = 'document.documentElement.scrollWidth <= innerWidth'
    expect(await page.evaluate(measure)).toBe(true)
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    expect(await page.locator('details:not([open])').count()).toBe(0)
    expect(await page.evaluate(measure)).toBe(true)
    expect(await page.evaluate('document.documentElement.lang + document.title')).toMatch(
      /^enWallet conformance: fails/,
    )
  })

  test('requests nothing but itself', () => {
    expect(seen.requests).toEqual([pathToFileURL(file).href])
    expect(seen.complaints).toEqual([])
  })
})

const EVIL = `</pre><script>document.title = 'owned'</script><img src="http://127.0.0.1:9/x" onerror="document.title='owned'">\u0000]]>`

const EVIL_REPORT: ConformanceReport = {
  ...{
    judged: 'wallet',
    kitVersion: EVIL,
    interfaceVersion: EVIL,
    command: EVIL,
    target: EVIL,
    notes: [EVIL],
    startedAt: new Date(0),
    durationMs: 1,
    wasInterrupted: true,
    isStrict: false,
  },
  results: ['MUST', 'SHOULD'].map((level) => ({
    ...{ id: `evil-${level}`, clause: EVIL, level: level as 'MUST', sentence: EVIL, loses: EVIL, durationMs: 1 },
    verdict: {
      ...{ kind: 'failed', why: EVIL, repeat: EVIL },
      exchanges: [
        {
          ...{ what: EVIL, startedAt: new Date(0), durationMs: 1 },
          request: { method: 'POST', url: EVIL, headers: { [EVIL]: EVIL }, body: EVIL },
          answer: { kind: 'some', status: 200, contentType: EVIL, body: EVIL },
        },
      ],
    },
  })),
}

describe('the report of a wallet that answers with markup', () => {
  test('shows the markup as text, and runs and loads nothing', async () => {
    const file = join(folder, 'evil.html')
    writeFileSync(file, renderConformanceHtml(EVIL_REPORT))
    const { page, requests, complaints } = await open(file)
    expect(await page.getByLabel('Answer', { exact: true }).first().textContent()).toContain(
      EVIL.replace('\u0000', '\ufffd'),
    )
    expect(await page.title()).toContain("<script>document.title = 'owned'</script>")
    expect(await page.locator('img').count()).toBe(0)
    expect({ requests, complaints }).toEqual({ requests: [pathToFileURL(file).href], complaints: [] })
  })

  test('is well-formed XML with the same text', async () => {
    const { page } = await open(join(folder, 'evil.html'))
    const read = `(xml) => {
      const found = new DOMParser().parseFromString(xml, 'application/xml')
      return [found.querySelectorAll('parsererror').length, found.querySelector('failure').getAttribute('message')]
    }`
    const [errors, message] = (await page.evaluate(`(${read})(${JSON.stringify(formatJunitReport(EVIL_REPORT))})`)) as [
      number,
      string,
    ]
    expect(errors).toBe(0)
    expect(message).toContain('<script>')
  })
})
