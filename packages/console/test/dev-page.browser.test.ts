/**
 * The page of `purser dev` shows each call to a wallet with its verdict. A right wallet is quiet,
 * and a fault has its cost, clause, remedy and curl command.
 */
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MutantId } from '../../conformance/test/mutants/mutants.ts'
import { startTestWallet } from '../../conformance/test/mutants/wallet.ts'
import { startUntil } from '../../server/test/cli/command.ts'
import { operatorClient, playerWithMoney } from '../../server/test/support/operator.ts'
import { complaintsOf, expectAccessibleEverywhere, launch } from './browser.ts'

const START = '100.00'

interface DevSession {
  readonly url: string
  readonly walletUrl: string
  readonly player: string
  closeWallet(): Promise<void>
  stop(): Promise<void>
}

/** The real command against the kit's test wallet. */
async function startDev(fault?: MutantId): Promise<DevSession> {
  const wallet = await startTestWallet(fault === undefined ? {} : { fault })
  const { userId, token } = await playerWithMoney(operatorClient(wallet.url, wallet.operatorKey), START)
  const flags = ['--wallet', wallet.url, '--secret', wallet.secret, '--token', token]
  const { output, kill } = await startUntil(/The player is/, ['dev', ...flags], {})
  return {
    url: /The page is at (\S+)\//.exec(output())?.[1] ?? '',
    walletUrl: wallet.url,
    player: userId,
    closeWallet: wallet.close,
    async stop() {
      await kill('SIGKILL')
      await wallet.close()
    },
  }
}

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const SIZE = { width: 1440, height: 900 }

async function openPage(url: string): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: SIZE })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const complaints = complaintsOf(page, url)
  await page.goto(url)
  await page.getByRole('heading', { name: 'Calls to your wallet' }).waitFor()
  return { page, complaints }
}

const callsOf = (page: Page) => page.locator('.dev-call')
const figureOf = (page: Page, name: string) =>
  page.locator('.dev-figures > div', { hasText: name }).locator('dd').textContent()

async function placeBet(page: Page): Promise<void> {
  await page.locator('.odds').first().click()
  await page.getByRole('button', { name: 'Place bet', exact: true }).click()
  await page.getByText('Accepted: the stake is held').waitFor()
}

async function runTrouble(page: Page, title: string): Promise<void> {
  const pane = page.getByRole('button', { name: 'Make trouble' })
  if ((await pane.getAttribute('aria-pressed')) === 'false') await pane.click()
  await page.locator('.dev-trouble', { hasText: title }).first().click()
  await page.locator('.dev-troubles li', { hasText: title }).first().locator('.caption, .notice').waitFor()
}

describe('the page of purser dev with a right wallet', () => {
  let dev: DevSession
  beforeAll(async () => {
    dev = await startDev()
  })
  afterAll(() => dev?.stop())

  test('says what to do first, without a sign-in', async () => {
    const { page, complaints } = await openPage(dev.url)
    await page.getByText('Place a bet at the left.').waitFor()
    await page.getByText(dev.walletUrl).waitFor()
    await page.getByText(`Player ${dev.player}`).waitFor()
    expect(await figureOf(page, 'Wrong')).toBe('0')
    await expectAccessibleEverywhere(page, 'the empty page')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('shows a bet, its results and its calls, all quiet', async () => {
    const { page, complaints } = await openPage(dev.url)
    const newest = page.locator('.demo-bets li', { has: page.locator('.demo-bet') }).first()
    const settleBy = async (button: string, state: string) => {
      await newest.getByRole('button', { name: button }).click()
      await newest.getByText(state, { exact: true }).waitFor()
    }
    await placeBet(page)
    await settleBy('Cash out', 'Cashed out')
    await placeBet(page)
    await newest.getByText('Open', { exact: true }).waitFor()
    await settleBy('Settle: lost', 'Lost')
    await settleBy('Correct the result', 'Won')
    await settleBy('Unsettle', 'Open')
    await newest.getByRole('button', { name: 'Cash out' }).click()
    await page.getByText('the bet was not cashed out, because its match has ended').waitFor()
    const names = await callsOf(page).locator('.call-name').allTextContents()
    expect(names.filter((name) => name !== 'User data').toReversed()).toEqual([
      ...['Place bet', 'Settle', 'Place bet', 'Settle', 'Settle', 'Unsettle'],
    ])
    await page.locator('.dev-call .dev-amount', { hasText: '10 EUR' }).first().waitFor()
    expect(await page.locator('.dev-call.wrong').count()).toBe(0)
    expect(await figureOf(page, 'Wrong')).toBe('0')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('opens a call with the keyboard: signature, bodies, and a curl command that repeats it', async () => {
    const { page } = await openPage(dev.url)
    await placeBet(page)
    await callsOf(page)
      .first()
      .getByRole('button', { name: /^Place bet, call/ })
      .focus()
    await page.keyboard.press('Enter')
    const details = page.locator('.dev-details')
    await details.getByText(/^x-sign-jws: eyJ/).waitFor()
    expect(await details.getByRole('region', { name: 'Request' }).textContent()).toMatch(/"transactionId":"/)
    expect(await details.getByRole('region', { name: 'Response' }).textContent()).toMatch(/^200\n.*"transactionTime"/s)
    await details.getByRole('button', { name: 'Copy curl' }).click()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toMatch(/^curl .*x-sign-jws: .*--data-binary/s)
    await expectAccessibleEverywhere(page, 'with an open call')
    await page.context().close()
  })

  test('keeps the list in place while a call is open, and counts new calls', async () => {
    const { page } = await openPage(dev.url)
    await placeBet(page)
    await callsOf(page).first().locator('.call-name').click()
    const opened = page.locator('.dev-call', { has: page.locator('.dev-details') })
    const before = await opened.boundingBox()
    await placeBet(page)
    await page
      .locator('.fresh')
      .getByText(/^↑ \d+ new$/)
      .waitFor()
    expect(await opened.boundingBox()).toEqual(before)
    await page.locator('.fresh button').click()
    await expect.poll(() => page.locator('.dev-details').count()).toBe(0)
    await page.context().close()
  })

  test('shows that the wallet is away', async () => {
    const { page } = await openPage(dev.url)
    await dev.closeWallet()
    await page.locator('.odds').first().click()
    await page.getByRole('button', { name: 'Place bet', exact: true }).click()
    await page.locator('.dev-url').getByText('Waiting', { exact: true }).waitFor()
    await page.getByText(/accepts no connections .*Waiting for it/).waitFor()
    await page.context().close()
  })
})

test('the page of purser dev gives the reason while no player is known, and continues by itself', async () => {
  const wallet = await startTestWallet()
  const { token } = await playerWithMoney(operatorClient(wallet.url, wallet.operatorKey), START)
  const port = Number(new URL(wallet.url).port)
  await wallet.close()
  const flags = ['--wallet', wallet.url, '--secret', wallet.secret, '--token', token]
  const { output, kill } = await startUntil(/accepts no connections/, ['dev', ...flags], {})
  const page = await browser.newPage({ viewport: SIZE })
  await page.goto(/The page is at (\S+)/.exec(output())?.[1] ?? '')
  await page.getByText('No player yet.').waitFor()
  await page.getByText(`The wallet at ${wallet.url} accepts no connections`).waitFor()
  await expectAccessibleEverywhere(page, 'without a player')
  const late = createServer((_request, response) => {
    const profile = { userId: 'late', currency: 'EUR', currencies: ['EUR'] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(profile))
  })
  late.listen(port, '127.0.0.1')
  await page.getByText('Player late').waitFor()
  await page.close()
  await kill('SIGKILL')
  late.closeAllConnections()
  late.close()
})

describe('the page of purser dev with a wallet that debits a repeat', () => {
  let dev: DevSession
  beforeAll(async () => {
    dev = await startDev('place-repeat-debits')
  })
  afterAll(() => dev?.stop())

  test('names the fault, its cost, clause and remedy, and the trouble as failed', async () => {
    const { page, complaints } = await openPage(dev.url)
    await runTrouble(page, 'The same call twice at once')
    const wrong = page.locator('.dev-call.wrong').first()
    await wrong.getByText(/^Wrong: /).waitFor()
    expect(await wrong.locator('.dev-cost').textContent()).toMatch(/^Player’s loss The player pays/)
    await wrong.getByText('Fix', { exact: true }).waitFor()
    await wrong.getByText('Clause', { exact: true }).waitFor()
    await wrong.getByRole('button', { name: 'Copy curl' }).waitFor()
    const trouble = page.locator('.dev-troubles li', { hasText: 'The same call twice at once' }).first()
    await trouble.getByText('Not correct per spec').waitFor()
    expect(await trouble.locator('.caption').textContent()).toMatch(/The balance was 100\.00 EUR and is 80\.00 EUR/)
    await page.getByText(/^0 of \d+ passed, 1 failed$/).waitFor()
    expect(Number(await figureOf(page, 'Wrong'))).toBeGreaterThan(0)
    await page.locator('.dev-cause.wrong').first().click()
    await expect.poll(() => page.locator('.dev-call:not(.wrong)').count()).toBe(0)
    await expectAccessibleEverywhere(page, 'with a fault')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test.each([360, 1024, 1440, 1920])('does not scroll sideways at %i px, with a verdict in view', async (width) => {
    const { page } = await openPage(dev.url)
    await page.setViewportSize({ width, height: 844 })
    await page.locator('.dev-call').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await page.context().close()
  })
})
