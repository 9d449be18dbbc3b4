/**
 * In the demo, the bet slip offers a freebet if promotions pay for stakes. The accounts show that
 * promotions paid the stake.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from './at.ts'
import { launch } from './browser.ts'

let browser: Browser
let page: Page
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ PURSER_FREEBET_STAKE: 'promotions' })
  browser = await launch()
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${sandbox.url}/`)
  await page.getByRole('button', { name: 'Open the sandbox' }).click()
})
afterAll(async () => {
  await browser?.close()
  await sandbox?.stop()
})

/** The left and right entries of a T-account. */
const account = (name: string) =>
  page
    .locator('.t', { has: page.getByRole('heading', { name, exact: true }) })
    .locator('.t-sides .num')
    .allTextContents()

/** Milliseconds. On a busy machine a call is late, and the platform sends it again. */
const LONG_TIMEOUT = { timeout: 120_000 }
const bet = () => page.locator('.demo-bets li').first()

/** A Place bet that takes 5 s is rolled back, so another one is placed. */
async function placeFreebet(): Promise<void> {
  await page.locator('.odds').first().click()
  await page.getByLabel('Freebet').check()
  for (let bets = 1; ; bets++) {
    await page.getByRole('button', { name: 'Place bet' }).click(LONG_TIMEOUT)
    await expect.poll(() => page.locator('.demo-bets li').count(), LONG_TIMEOUT).toBe(bets)
    const state = bet().locator('.badge')
    await expect.poll(() => state.textContent(), LONG_TIMEOUT).toMatch(/^(Open|Cancelled)$/)
    if ((await state.textContent()) === 'Open') return
  }
}

test('the promotions account pays the stake of a freebet, the player gets the winnings, and the sum stays 0.00', async () => {
  await placeFreebet()
  await bet().getByText('freebet', { exact: true }).waitFor()
  await expect.poll(() => account('Promotions'), LONG_TIMEOUT).toEqual(['10.00', ''])
  await expect.poll(() => account('Open stakes'), LONG_TIMEOUT).toEqual(['', '10.00'])
  expect(await account('Player'), 'the player paid nothing').toEqual(['', '500.00'])
  expect(await page.locator('.sum strong').textContent()).toBe('0.00')
  await bet().getByRole('button', { name: 'Settle: won' }).click()
  await bet().getByText('Won', { exact: true }).waitFor(LONG_TIMEOUT)
  await expect.poll(() => account('Open stakes'), LONG_TIMEOUT).toEqual(['', '0.00'])
  const [, player = ''] = await account('Player')
  expect(Number.parseFloat(player)).toBeGreaterThan(500)
  expect(await page.locator('.sum strong').textContent()).toBe('0.00')
})
