/**
 * In the settings, a user creates a webhook, tests it, enables it after its receiver has disabled
 * it, replays its events, and removes it.
 */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Consumer, startConsumer, verifies } from '../../server/test/support/consumer.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

let browser: Browser
let wallet: TestWallet
let consumer: Consumer
let context: BrowserContext
let page: Page
beforeAll(async () => {
  browser = await launch()
  wallet = await startWallet()
  consumer = await startConsumer()
  context = await signedIn(browser, wallet.url, wallet.operatorKey)
  page = await context.newPage()
})
afterAll(async () => {
  await browser?.close()
  await consumer?.close()
  await wallet?.auditIsClean()
  await wallet?.stop()
})

const hook = () => page.getByRole('article', { name: 'crm' })
const click = (name: string) => hook().getByRole('button', { name }).click()
const dialog = () => page.getByRole('dialog')
async function placeBet() {
  const player = await playerWithMoney(wallet.operator)
  expect((await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })).status).toBe(200)
}
async function fill(name: string) {
  await page.getByRole('button', { name: 'New webhook…' }).click()
  await dialog().getByLabel('Name').fill(name)
  await dialog().getByLabel('URL').fill(consumer.url)
  await dialog().getByLabel('bet.placed').check()
  await dialog().getByRole('button', { name: 'Create' }).click()
}

test('a webhook is created, shows its secret once, and lists its events with the answers', async () => {
  await page.goto(`${wallet.url}/console/settings`)
  await page.getByText('No webhooks yet.').waitFor()
  await fill('crm')
  const shown = page
    .getByRole('region', { name: 'Webhooks' })
    .getByRole('status')
    .getByText(/^whsec_/)
  const secret = (await shown.textContent()) ?? ''
  await hook().getByText('Active', { exact: true }).waitFor()
  await hook().getByText('bet.placed', { exact: true }).waitFor()
  await click('Last deliveries')
  await hook().getByText('No deliveries yet.').waitFor()
  await placeBet()
  const [told] = await consumer.until(1)
  expect(told && verifies(secret, told)).toEqual([true])
  await hook().getByRole('row', { name: 'bet.placed' }).getByText('200', { exact: true }).waitFor()
  await expectAccessibleEverywhere(page, 'webhooks')
  await fill('crm')
  await dialog().getByText('The webhook was not saved: there is a webhook crm already.').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await hook().waitFor()
  expect(await shown.count(), 'shown once').toBe(0)
})

test('a test of a webhook shows the answer', async () => {
  consumer.answer = () => 404
  await click('Send a test')
  await hook().getByText('The test was not acknowledged: answered 404.').waitFor()
  consumer.answer = () => 200
  await click('Send a test')
  await hook().getByText('The test was acknowledged with 200.').waitFor()
})

test('a disabled webhook shows the reason, and continues when it is enabled', async () => {
  consumer.answer = () => 410
  await placeBet()
  await hook().getByText('Disabled', { exact: true }).waitFor()
  await hook()
    .getByText(/No events are sent: event \d+: answered 410\./)
    .waitFor()
  await expectAccessibleEverywhere(page, 'a disabled webhook')
  consumer.answer = () => 200
  const before = consumer.messages.length
  await click('Enable')
  await hook().getByText('Active', { exact: true }).waitFor()
  await expect.poll(() => consumer.messages.slice(before).map(({ type }) => type)).toEqual(['bet.placed'])
})

test('a webhook sends all events since a time again', async () => {
  const first = consumer.messages.find(({ type }) => type === 'bet.placed')?.headers['webhook-id']
  const times = () => consumer.messages.filter(({ headers }) => headers['webhook-id'] === first).length
  const before = times()
  await click('Replay…')
  await dialog().getByLabel('Since (UTC)').fill('2020-01-01T00:00')
  await dialog().getByRole('button', { name: 'Replay' }).click()
  await expect.poll(times).toBe(before + 1)
})

test('a webhook is removed, and only an admin sees webhooks', async () => {
  await click('Remove…')
  await dialog().getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No webhooks yet.').waitFor()
  const made = await wallet.operator.request('POST', '/operator/keys', { name: 'desk', role: 'support' })
  const other = await signedIn(browser, wallet.url, (made.body as { key: string }).key)
  const theirs = await other.newPage()
  await theirs.goto(`${wallet.url}/console/settings`)
  await theirs.getByRole('region', { name: 'Audit log' }).waitFor()
  expect(await theirs.getByRole('region', { name: 'Webhooks' }).count()).toBe(0)
  await other.close()
})
