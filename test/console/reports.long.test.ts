/** The page Reports: days, the trial balance and the audit, with every filter in the address. In a real browser. */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { partnerWire } from '../support/wire.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

let browser: Browser
let wallet: TestWallet
let context: BrowserContext
let page: Page

beforeAll(async () => {
  browser = await launch()
  wallet = await startWallet({ env: { PARTNER_SECRETS: 'acme:secret-of-acme,best:secret-of-best' } })
  context = await signedIn(browser, wallet.url, wallet.operatorKey)
})
beforeEach(async () => {
  page = await context.newPage()
  return () => page.close()
})
afterAll(async () => {
  await wallet?.auditIsClean()
  await browser?.close()
  await wallet?.stop()
})

const see = (query = '') => page.goto(`${wallet.url}/console/reports${query}`)
const row = (name: RegExp | string) => page.getByRole('row', { name })

test('says what would be here before there is any money', async () => {
  await see()
  await page.getByText('No money was here on these days.').waitFor()
  await expectAccessibleEverywhere(page, 'reports, empty')
})

test('sums up what each platform’s bets made, each currency in its own digits, and what is zero everywhere is left out', async () => {
  const inEur = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const inYen = await playerWithMoney(wallet.operator, '5000', 'JPY')
  const bet = (player: object, amount: number) => ({ ...player, transactionId: randomUUID(), amount })
  const lost = { ...bet(inEur, 10), resultType: 'lost' }
  const acme = partnerWire(wallet.url, 'secret-of-acme')
  expect((await acme.place({ ...lost, currency: 'EUR' } as never)).status).toBe(200)
  expect((await acme.settle({ ...lost, amount: 0, currency: 'EUR' } as never)).status).toBe(200)
  const best = partnerWire(wallet.url, 'secret-of-best')
  expect((await best.place({ ...bet(inYen, 300), currency: 'JPY' } as never)).status).toBe(200)
  await see()
  await row(/Together EUR .*10\.00 .*10\.00/).waitFor()
  await row(/Together JPY .* 300 /).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Resettled' }).count()).toBe(0)
  await page.getByLabel('Rows').selectOption('By platform')
  await row(/EUR acme/)
    .getByText('10.00', { exact: true })
    .first()
    .waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('by')).toBe('platform')
  await expectAccessibleEverywhere(page, 'reports by platform')
  await page.getByLabel('Currency').fill('jpy')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('currency')).toBe('JPY')
  await row(/EUR acme/).waitFor({ state: 'detached' })
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toMatch(/^purser-.+\.csv$/)
})

test('shows the trial balance, which adds up to zero at both ends', async () => {
  await see('?view=trial')
  const eur = page.getByRole('region', { name: 'Trial balance EUR' })
  await eur.getByRole('row', { name: /^Players .*90\.00/ }).waitFor()
  await eur.getByRole('row', { name: /^House .*10\.00/ }).waitFor()
  await eur.getByRole('row', { name: /^Adds up 0\.00 0\.00 0\.00/ }).waitFor()
  await expectAccessibleEverywhere(page, 'trial balance')
})

test('says why it cannot answer a question', async () => {
  await see('?from=2020-01-01')
  await page
    .getByRole('alert')
    .getByText(/to is more than 400 days after from/)
    .waitFor()
})

test('audits when somebody asks for it, and names what is wrong', async () => {
  await see('?view=audit')
  await page.getByText('Not checked yet.').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('The books are right').waitFor()
  await expectAccessibleEverywhere(page, 'audit')
  const finding = { check: 'every transfer has two sides', row: { player: '<img src=x onerror=alert(1)>' } }
  await page.route('**/operator/audit', (route) => route.fulfill({ json: { ok: false, findings: [finding] } }))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('1 finding', { exact: true }).waitFor()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
})
