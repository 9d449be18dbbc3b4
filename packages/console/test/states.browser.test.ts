/**
 * Pages keep their headings while they load and when they fail, and show a failure until it ends.
 */
import { randomUUID } from 'node:crypto'
import { createDeferred } from '@purser/runtime/async/deferred'
import type { Page, Route } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { atWallet } from './at.ts'

const at = atWallet()
let wallet: TestWallet
let page: Page
beforeEach(() => {
  ;({ server: wallet, page } = at)
})

const fails = (route: Route) => route.fulfill({ status: 503, json: { detail: 'the database is away' } })
const OF_API = /\/operator\/(?!live)/

/**
 * The result of `look` while the page's requests are pending, after they failed, and after they
 * were answered.
 */
async function atEach<T>(path: string, look: () => Promise<T>, answered: () => Promise<unknown>): Promise<T[]> {
  const held = createDeferred()
  await page.route(OF_API, async (route) => {
    await held.promise
    await fails(route)
  })
  await at.see(path)
  // Until then the code of the page is loading, and the whole page waits.
  await page.locator('main h1').waitFor()
  await page.locator('main .waiting, main [aria-label^=Loading]').first().waitFor()
  const loading = await look()
  held.resolve()
  await page.getByRole('alert').first().waitFor()
  const failed = await look()
  await page.unroute(OF_API)
  await answered()
  return [loading, failed, await look()]
}

describe('data that cannot be loaded', () => {
  test.each(['players', 'bets'])('is reported until there is an answer: a page of %s', async (kind) => {
    const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const transactionId = randomUUID()
    expect((await wallet.wire.place({ ...player, transactionId, amount: 10 })).status).toBe(200)
    let asked = 0
    await page.route(OF_API, (route) => {
      asked += 1
      return fails(route)
    })
    await at.see(kind === 'players' ? `/players/${player.userId}` : `/bets/${player.userId}/${transactionId}`)
    await page.getByRole('alert').getByText('The database is away.').waitFor()
    await page.evaluate(`
      window.wasLoading = false
      new MutationObserver(() => { window.wasLoading ||= document.querySelector('main .waiting') !== null })
        .observe(document.querySelector('main'), { childList: true, subtree: true })`)
    const before = asked
    await expect.poll(() => asked, { message: 'it is asked for by itself' }).toBeGreaterThan(before + 9)
    expect(await page.evaluate('window.wasLoading'), 'it was never said to be loading').toBe(false)
    expect(await page.getByRole('alert').count()).toBe(1)
    await page.unroute(OF_API)
    await page.locator('.facts').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

test('the page of a bet names what is loading and what failed, and its heading keeps its position', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const transactionId = randomUUID()
  expect((await wallet.wire.place({ ...player, transactionId, amount: 10 })).status).toBe(200)
  const look = async () => ({
    box: await page.getByRole('heading', { level: 1, name: 'Bet' }).boundingBox({ timeout: 1_000 }),
    says: await page.locator('.head').getByText(transactionId).count(),
  })
  const shown = () => page.locator('.facts').first().waitFor()
  const [loading, failed, answered] = await atEach(`/bets/${player.userId}/${transactionId}`, look, shown)
  expect(answered?.says).toBe(1)
  expect([loading, failed]).toEqual([answered, answered])
})

test('each card of the Overview keeps its heading, and shows no figure that is unknown', async () => {
  const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  expect((await wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 10 })).status).toBe(200)
  const look = async () => ({
    heads: await page.locator('.card > header h2').allTextContents(),
    says: (await page.getByText('no activity').count()) > 0,
    figures: await page.locator('.now-fact dd a').allTextContents(),
  })
  const charts = () => page.locator('.plot canvas').nth(1).waitFor()
  const [loading, failed, answered] = await atEach('/now', look, charts)
  const heads = ['Calls to this wallet', 'Needs attention', 'Platforms']
  expect([loading, failed]).toEqual([
    { heads, says: false, figures: Array(6).fill('…') },
    { heads, says: false, figures: Array(6).fill('–') },
  ])
  expect(answered?.heads).toEqual(heads)
})
