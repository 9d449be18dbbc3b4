/**
 * The page Overview shows the calls of the last hour, open stakes, unfinished deliveries, and items
 * that need attention.
 */
import { randomUUID } from 'node:crypto'
import { createDeferred } from '@purser/runtime/async/deferred'
import type { Page, Route } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Scene } from '../../server/test/platform/scene.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { refusal, reset, status } from '../../server/test/support/scripted-wallet.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { partnerWire } from '../../server/test/support/wire.ts'
import { atPlatform, atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const factOf = (page: Page, name: string) =>
  page.locator('.now-fact').filter({ has: page.locator('dt').getByText(name, { exact: true }) })
const fails = (route: Route) => route.fulfill({ status: 503, json: { detail: 'the database is away' } })

describe('the Overview of a wallet', () => {
  const at = atWallet({
    env: { PARTNER_SECRETS: 'acme:secret-of-acme,best:secret-of-best', PURSER_APPROVE_ABOVE: 'EUR:50' },
  })
  let wallet: TestWallet
  let page: Page
  beforeEach(() => {
    ;({ server: wallet, page } = at)
  })
  const see = () => at.see('/now')

  test('says what it will show before there is any data', async () => {
    await see()
    await page.getByText('No calls in the last hour.').waitFor()
    await page.getByText('Nothing needs attention.').waitFor()
    await page.getByText('No platform has called in the last hour.').waitFor()
    await expectAccessibleEverywhere(page, 'now, empty')
  })

  test('counts every call by its platform, unknown senders included, and shows the open stakes', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const bet = () => ({ userId, token, transactionId: randomUUID(), amount: 10 })
    const [acme, best] = ['secret-of-acme', 'secret-of-best'].map((secret) => partnerWire(wallet.url, secret))
    expect((await acme?.place(bet()))?.status).toBe(200)
    expect((await acme?.place({ ...bet(), amount: 1_000 }))?.status).toBe(400)
    expect((await best?.place(bet()))?.status).toBe(200)
    expect((await partnerWire(wallet.url, 'guessed').place(bet())).status).toBe(400)
    const held = createDeferred()
    await page.route('**/operator/now', async (route) => {
      await held.promise
      await route.continue()
    })
    await see()
    await page.getByRole('link', { name: '20.00 EUR' }).waitFor()
    const below = page.getByRole('heading', { name: 'Needs attention' })
    const before = await below.boundingBox()
    held.resolve()
    await page.getByRole('img', { name: '4 calls in the last hour' }).waitFor()
    expect(await below.boundingBox(), 'nothing moves when the charts come').toEqual(before)
    await page.getByRole('img', { name: 'acme: 2 calls in the last hour, 0 failed' }).waitFor()
    await page.getByRole('img', { name: 'Unknown sender: 1 call in the last hour, 0 failed' }).waitFor()
    await page.getByText('As table').click()
    const last = page.locator('.as-table tbody tr', { hasNot: page.getByText('–') })
    const sums = await last.evaluateAll((rows) =>
      [1, 2, 3].map((at) => rows.reduce((sum, row) => sum + Number(row.children[at]?.textContent), 0)),
    )
    expect(sums, 'accepted, refused, failed').toEqual([2, 2, 0])
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    expect(file.suggestedFilename()).toBe('purser-last-hour.csv')
    await expectAccessibleEverywhere(page, 'now')
  })

  test('links the whole row of a platform to its calls, and the tile of open stakes to the open bets', async () => {
    const corner = { position: { x: 4, y: 4 } }
    await see()
    await page.getByRole('listitem').filter({ hasText: 'acme' }).click(corner)
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('platform:acme')
    await expect.poll(() => page.locator('.call-name').count()).toBe(2)
    await see()
    await page.getByRole('link', { name: '20.00 EUR' }).waitFor()
    await page.locator('.now-fact', { hasText: 'Open stakes' }).click(corner)
    await page.waitForURL('**/bets?status=open')
  })

  test('shows the same payouts and GGR of today as Finance, with corrections deducted, and yesterday in a tile of its own', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '5000.00', 'USD')
    const wire = partnerWire(wallet.url, 'secret-of-best')
    const bet = { userId, token, transactionId: randomUUID(), currency: 'USD' }
    expect((await wire.place({ ...bet, amount: 2_000 })).status).toBe(200)
    for (const amount of [3_500, 1_500.5])
      expect((await wire.settle({ ...bet, amount, resultType: 'won' })).status).toBe(200)
    await see()
    await factOf(page, 'Payouts today').getByText('1,500.50 USD').waitFor()
    await factOf(page, 'GGR today').getByText('499.50 USD').waitFor()
    await factOf(page, 'GGR yesterday').getByText('no activity').waitFor()
    await factOf(page, 'Payouts today').getByRole('link').click()
    const row = page.getByRole('region', { name: 'GGR of the day' }).getByRole('row').filter({ hasText: 'USD' })
    await row.getByRole('link', { name: '−1,500.50' }).waitFor()
    await row.getByRole('link', { name: '499.50', exact: true }).waitFor()
  })

  test('names an adjustment that waits for a second person, and opens it on Enter', async () => {
    const { userId } = await playerWithMoney(wallet.operator, '1.00', 'EUR')
    const adjustment = { currency: 'EUR', amount: '60.00', reason: 'goodwill', reference: randomUUID() }
    const asked = await wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, adjustment)
    expect(asked.status).toBe(202)
    await see()
    await page
      .getByRole('listitem')
      .filter({ hasText: `60.00 EUR for ${userId}` })
      .waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/money')
  })

  test('says that it is not live during an outage of the server, and the time of its data', async () => {
    await see()
    await page.locator('.plot canvas').first().waitFor()
    await page.route('**/operator/now', fails)
    await page
      .getByText(/^As of .+, not live: the database is away/)
      .first()
      .waitFor()
    expect(await page.locator('.plot canvas').count(), 'what was there stays').toBe(2)
    await page.unroute('**/operator/now')
    await page
      .getByText(/^As of .+, not live/)
      .first()
      .waitFor({ state: 'detached' })
  })

  test('says that it is not live when there was never an answer', async () => {
    await page.route(/\/operator\/(now|reports)/, fails)
    await see()
    await page.getByRole('alert').getByText('the database is away').first().waitFor()
    // without a time, because no data ever arrived
    await page.getByText('Not available: the database is away.').waitFor()
  })
})

describe('the Overview of a platform', () => {
  const at = atPlatform()
  let scene: Scene
  let page: Page
  beforeEach(() => {
    ;({ server: scene, page } = at)
  })

  const refusedRollback = async () => {
    const { betId } = await scene.api.place(scene.frame)
    scene.wallet.next('rollback', refusal(19))
    await scene.api.cancel(betId, 32)
    await scene.time.advance(1_000)
    await expect.poll(() => scene.wallet.of('rollback', betId).length).toBe(1)
  }

  test('shows the owed money by partner with the next step, and the partner’s calls', async () => {
    await refusedRollback()
    await at.see('/now')
    const need = page.getByRole('listitem').filter({ hasText: `1 × Rollback to ${scene.partnerId}, code 19` })
    await factOf(page, 'Needs attention').getByText('10.00 EUR to be paid').waitFor()
    await factOf(page, 'Needs attention').getByText('1 delivery must be resolved by hand').waitFor()
    await need.getByText('10.00 EUR to be paid to players').waitFor()
    await page.getByRole('img', { name: `${scene.partnerId}: 3 calls in the last hour, 0 failed` }).waitFor()
    await expectAccessibleEverywhere(page, 'now of a platform')
    await need.getByRole('link', { name: 'Fix and retry' }).click()
    await page.getByRole('region', { name: 'Rollback rejected' }).waitFor()
  })

  test('shows a partner without calls in the last hour only while money is owed through it', async () => {
    await scene.api.savePartner(scene.wallet, 'quiet-partner')
    if ((await scene.api.deliveries('?needsAttention=true')).length === 0) await refusedRollback()
    await at.see('/now')
    // the calls are counted
    await page.getByRole('img', { name: / 3 calls in the last hour/ }).waitFor()
    await scene.time.advance(2 * 3_600_000)
    await at.see('/now')
    const partners = page.getByRole('region', { name: 'Partners' })
    const row = partners.getByRole('listitem').filter({ hasText: scene.partnerId })
    await row.getByText('needs attention: 10.00 EUR to be paid to players').waitFor()
    await row.getByText('0 calls').waitFor()
    await partners.getByText('1 partner had no calls in the last hour and has no open deliveries').waitFor()
    expect(await partners.getByRole('listitem').count()).toBe(1)
    const [owed] = await scene.api.deliveries('?needsAttention=true')
    const said = { reason: 'paid back by hand' }
    expect(await scene.api.request('POST', `/deliveries/${owed?.deliveryId}/acknowledge`, said)).toMatchObject({
      status: 200,
    })
    await partners.getByText('No partner was called in the last hour.').waitFor()
    await partners.getByText('2 partners had no calls in the last hour and have no open deliveries').waitFor()
    await expectAccessibleEverywhere(page, 'now without a partner')
  })
})

describe('the Overview of a platform whose partner accepts nothing', () => {
  const at = atPlatform()
  let scene: Scene
  let page: Page
  beforeEach(() => {
    ;({ server: scene, page } = at)
  })
  const placed = (count: number) => Promise.all(Array.from({ length: count }, () => scene.api.place(scene.frame)))
  const fact = (name: string) => factOf(page, name)
  const see = (path: string) => at.see(`/${path}`)
  const needs = () => page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')

  test('reports the partner as down when nothing else needs attention, with its money and a link to its retrying deliveries', async () => {
    const bets = await placed(3)
    scene.wallet.always('settle', reset)
    for (const { betId } of bets) await scene.api.settle(betId, 'won', '25.00')
    await scene.time.advance(3_000)
    await see('now')
    await needs()
      .filter({ hasText: `${scene.partnerId} returns no valid responses; 3 deliveries are retrying` })
      .waitFor()
    await needs().getByText('75.00 EUR to be paid to players').waitFor()
    await fact('Retrying').getByText('75.00 EUR to be paid to players').waitFor()
    await fact('Needs attention').getByText('no delivery is rejected or exhausted').waitFor()
    expect(await page.getByText(/nothing needs attention/i).count()).toBe(0)
    await page.getByRole('listitem').getByText('retrying: 75.00 EUR to be paid to players').waitFor()
    await expectAccessibleEverywhere(page, 'now of a platform whose partner is down')
    await needs().getByRole('link', { name: 'View', exact: true }).click()
    await page.waitForURL(`**/deliveries?view=pending%2Cwaiting&partner=${scene.partnerId}`)
    const owed = page.getByRole('status').filter({ hasText: scene.partnerId })
    await owed.getByText(/^Down for/).waitFor()
    await owed.getByText('Last call: network: ').waitFor()
    await page.getByRole('row').filter({ hasText: '25.00 EUR to be paid' }).nth(2).waitFor()
    await page.getByRole('row', { name: 'Retrying 75.00 EUR to be paid to players' }).waitFor()
    expect(await page.getByText(/No delivery .*needs attention/).count(), 'it leads to what waits').toBe(0)
    await see('now')
    await fact('Needs attention')
      .getByRole('link', { name: `${scene.partnerId} is down` })
      .click()
    await page.waitForURL(`**/deliveries?view=pending%2Cwaiting&partner=${scene.partnerId}`)
    await see('deliveries')
    await page.getByText('No delivery needs attention.').waitFor()
    await page.getByText(`${scene.partnerId} is down`).waitFor()
    await page.getByRole('link', { name: '3 deliveries are retrying' }).waitFor()
    scene.wallet.always('settle', {})
    await scene.time.advance(60_000)
    await see('now')
    await page.getByText('Nothing needs attention.').waitFor()
    await fact('Needs attention').getByText('nothing needs attention').waitFor()
  })

  test('reports money that has been in flight for a minute, even if other calls are answered', async () => {
    const [bet] = await placed(1)
    scene.wallet.always('settle', status(500))
    await scene.api.settle(bet?.betId ?? '', 'won', '25.00')
    for (let i = 0; i < 8; i++) {
      await scene.time.advance(10_000)
      await placed(1)
    }
    await page.clock.setFixedTime(scene.time.now())
    await see('now')
    await needs()
      .filter({ hasText: `25.00 EUR to be paid to players by ${scene.partnerId}, not acknowledged yet` })
      .filter({ hasText: 'for 1 min' })
      .waitFor()
    await fact('Needs attention')
      .getByRole('link', { name: `${scene.partnerId} has overdue deliveries` })
      .waitFor()
    await page.clock.setFixedTime(new Date(scene.time.now().getTime() - 60_000))
    await page.getByText('Nothing needs attention.').waitFor()
  })
})
