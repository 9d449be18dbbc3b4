/**
 * The page Conformance runs the kit against the wallet that serves the page, shows live progress,
 * and keeps the report.
 */
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorClient } from '../../server/test/support/operator.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

/** Milliseconds for all cases of the kit. */
const KIT_MS = 170_000

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

describe('a wallet that may be judged by the kit', () => {
  let wallet: TestWallet
  let context: BrowserContext
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_CONFORMANCE: 'on' } })
    context = await signedIn(browser, wallet.url, wallet.operatorKey)
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await context.close()
    await wallet.stop()
  })

  test(
    'is judged from the page, which fills in the squares, and its report is stored',
    async () => {
      const page = await context.newPage()
      await page.goto(`${wallet.url}/console/conformance`)
      await page.getByText('No conformance runs yet.').waitFor()
      await expectAccessibleEverywhere(page, 'conformance, empty')
      await page.getByRole('button', { name: 'Run conformance tests' }).click()
      await page.locator('.square.not-yet').first().waitFor()
      await page.locator('.square.passed').first().waitFor()
      const again = await wallet.operator.request('POST', '/operator/conformance')
      expect(again).toMatchObject({ status: 409, body: { code: 'already_running' } })
      await page.getByRole('status').getByText('Conforms', { exact: true }).waitFor({ timeout: KIT_MS })
      expect(await page.locator('.square.failed').count()).toBe(0)
      expect(await page.locator('.square.passed').count()).toBeGreaterThan(100)
      await page.locator('.square').first().click()
      await expect.poll(() => new URL(page.url()).searchParams.get('case')).not.toBe(null)
      await page
        .getByRole('region', { name: /^Case / })
        .getByText('Impact', { exact: true })
        .waitFor()
      await expectAccessibleEverywhere(page, 'conformance')
      await page.reload()
      await page.getByRole('region', { name: 'Previous runs' }).getByText('Conforms', { exact: true }).waitFor()
      await page.close()
    },
    KIT_MS + 30_000,
  )

  test('is judged on the order of an admin only, who is in the audit log, and support may watch', async () => {
    const keys = new Map<string, string>()
    const ask = async (method: string, path: string, body?: object) =>
      (await wallet.operator.request(method, path, body)).body as { key?: string; data?: { operation: string }[] }
    for (const role of ['read', 'support', 'cash'])
      keys.set(role, String((await ask('POST', '/operator/keys', { name: role, role })).key))
    const as = (role: string) => operatorClient(wallet.url, keys.get(role) ?? '')
    for (const role of keys.keys())
      expect(await as(role).request('POST', '/operator/conformance'), role).toMatchObject({ status: 403 })
    expect(await as('read').request('GET', '/operator/conformance')).toMatchObject({ status: 403 })
    const looked = await as('support').request('GET', '/operator/conformance')
    expect(looked).toMatchObject({ status: 200, body: { data: [{ state: 'ended', isGood: true }] } })
    const [run] = (looked.body as never as { data: { runId: string; startedAt: string }[] }).data
    const at = Date.parse(run?.startedAt ?? '')
    const around = `from=${new Date(at - 5_000).toISOString()}&to=${new Date(at + 1).toISOString()}`
    const { data = [] } = await ask('GET', `/operator/actions?limit=500&${around}`)
    expect(data.filter(({ operation }) => operation === 'startConformance')).toHaveLength(1)
  })
})

test('the page runs no conformance kit when no setting allows it', async () => {
  const wallet = await startWallet()
  const refused = await wallet.operator.request('POST', '/operator/conformance')
  expect(refused).toMatchObject({ status: 409, body: { code: 'conformance_off' } })
  const context = await signedIn(browser, wallet.url, wallet.operatorKey)
  const page = await context.newPage()
  await page.goto(`${wallet.url}/console/conformance`)
  await page.getByRole('button', { name: 'Run conformance tests' }).click()
  await page.getByRole('alert').getByText('PURSER_CONFORMANCE=on').waitFor()
  expect((await wallet.operator.request('GET', '/operator/conformance')).body).toMatchObject({ data: [] })
  await context.close()
  await wallet.auditIsClean()
  await wallet.stop()
})
