/**
 * Pages say when their data may be stale or incomplete: with two platforms, several bets with one
 * id, and a failing API.
 */
import { randomUUID } from 'node:crypto'
import type { Page, Route } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Scene } from '../../server/test/platform/scene.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { refusal, status } from '../../server/test/support/scripted-wallet.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { partnerWire } from '../../server/test/support/wire.ts'
import { atPlatform, atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const MINUTE_MS = 60_000
const fails = (route: Route) => route.fulfill({ status: 503, json: { detail: 'the database is away' } })

describe('the console of a wallet during faults', () => {
  const at = atWallet({ env: { PARTNER_SECRETS: 'acme:secret-of-acme,best:secret-of-best' } })
  let wallet: TestWallet
  let page: Page
  beforeEach(() => {
    ;({ server: wallet, page } = at)
  })
  const see = (path: string) => page.goto(`${wallet.url}/console${path}`)
  const newBet = async (transactionId: string = randomUUID()) => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    return { userId, token, transactionId, amount: 10 }
  }

  test('says that a file of a page did not load, and offers another attempt', async () => {
    await page.route('**/console/assets/calls*.css', (route) => route.abort())
    await see('/calls')
    await page.getByRole('alert').getByText('No connection to the server.').waitFor()
    await page.unroute('**/console/assets/calls*.css')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('A call appears here a moment after its response.').waitFor()
  })

  test('sums the platforms of a currency in Finance, and shows what each contributed (W-43)', async () => {
    const bet = await newBet()
    expect((await partnerWire(wallet.url, 'secret-of-acme').place(bet)).status).toBe(200)
    expect((await partnerWire(wallet.url, 'secret-of-best').place({ ...bet, amount: 15 })).status).toBe(200)
    await see('/money')
    const card = page.getByRole('region', { name: 'EUR', exact: true })
    await card.getByRole('row', { name: 'Closing player balances' }).getByText('75.00', { exact: true }).waitFor()
    expect(await card.count()).toBe(1)
    await card.getByRole('row', { name: 'Stakes' }).getByText('−25.00').waitFor()
    await card.getByText('Balanced: all accounts sum to').waitFor()
    const platforms = card.getByRole('table', { name: 'By platform' })
    await platforms.getByRole('row', { name: 'acme' }).getByText('10.00', { exact: true }).waitFor()
    await platforms.getByRole('row', { name: 'best' }).getByText('15.00', { exact: true }).waitFor()
    expect(await platforms.getByRole('row').count(), 'what moved nothing is left out').toBe(3)
    await expectAccessibleEverywhere(page, 'money of two platforms')
    const calls = `/operator/calls?transactionId=${bet.transactionId}`
    const journal = async () => (await wallet.operator.request('GET', calls)).body as unknown as { data: object[] }
    await expect.poll(async () => (await journal()).data.length).toBe(2)
    await see(`/bets/${bet.userId}/${bet.transactionId}`)
    await page.getByText(/ staked 10.00 EUR\./).waitFor()
    expect(await page.locator('[data-moment]').count(), 'a call of another platform is about another bet').toBe(1)
  })

  test('saves no file in Finance when the answer is an error', async () => {
    await page.route('**/operator/reports/daily*', (route) =>
      route.request().headers().accept === 'text/csv' ? fails(route) : route.continue(),
    )
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    await see('/money')
    await page.getByRole('link', { name: 'CSV' }).click()
    await page.getByRole('alert').getByText('the database is away').waitFor()
    expect(saved).toEqual([])
  })

  test('says in Finance that it is not live during an outage, and the time of its data', async () => {
    await see('/money')
    await page.locator('.day-card').first().waitFor()
    await page.route('**/operator/reports/daily*', fails)
    await newBet() // a deposit
    await page
      .getByRole('status')
      .getByText(/^As of .+, not live: the database is away/)
      .waitFor()
    expect(await page.locator('.day-card').count()).toBeGreaterThan(0)
    await page.unroute('**/operator/reports/daily*')
    await page.getByText('not live').waitFor({ state: 'detached' })
  })

  test('says above a list that it is not live', async () => {
    await see('/bets')
    await page.locator('table.list a').first().waitFor()
    await page.route('**/operator/bets*', fails)
    expect((await wallet.wire.place(await newBet())).status).toBe(200)
    await page
      .getByRole('status')
      .getByText(/^As of .+, not live: the database is away/)
      .waitFor()
    expect(await page.locator('table.list a').count()).toBeGreaterThan(0)
  })

  test('shows a bet as live only after the stream has begun, and reads it again then', async () => {
    const bet = await newBet()
    expect((await wallet.wire.place(bet)).status).toBe(200)
    await page.route('**/operator/live', fails)
    await see(`/bets/${bet.userId}/${bet.transactionId}`)
    await page.getByText('Reconnecting').waitFor()
    expect((await wallet.wire.settle({ ...bet, amount: 25, resultType: 'won' })).status).toBe(200)
    await page.unroute('**/operator/live')
    await page.getByText('The bet won: 25.00 EUR was paid to the account').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('continues an interrupted stream after its last event', async () => {
    const bet = await newBet()
    expect((await wallet.wire.place(bet)).status).toBe(200)
    const asked: (string | undefined)[] = []
    const body = 'id: 1\nevent: begin\ndata: {}\n\n'
    await page.route('**/operator/live', (route) => {
      asked.push(route.request().headers()['last-event-id'])
      return asked.length === 1 ? route.fulfill({ contentType: 'text/event-stream', body }) : route.continue()
    })
    await see(`/bets/${bet.userId}/${bet.transactionId}`)
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
    await page.getByText('Live', { exact: true }).waitFor()
    expect((await wallet.wire.settle({ ...bet, amount: 30, resultType: 'won' })).status).toBe(200)
    await page.getByText('The bet won: 30.00 EUR was paid to the account').waitFor()
    expect(asked.slice(0, 2)).toEqual([undefined, '1'])
  })

  test('says that an id belongs to several players, and shows each (I-1)', async () => {
    const [one, other] = [await newBet('shared-bet'), await newBet('shared-bet')]
    for (const bet of [one, other]) expect((await wallet.wire.place(bet)).status).toBe(200)
    await see('/bets/shared-bet')
    await page.getByText('2 players have a bet with this ID.').waitFor()
    for (const { userId } of [one, other]) {
      await page.goto(`${wallet.url}/console/bets/shared-bet`)
      await page.getByRole('main').getByRole('link', { name: userId, exact: true }).first().click()
      await page.waitForURL(`**/bets/${userId}/shared-bet`)
      await page.getByText(/ staked 10.00 EUR\./).waitFor()
      expect(await page.locator('[data-moment]').count(), 'the calls of the other are another bet’s').toBe(1)
    }
  })

  test('says that it cannot read its own server name, and tries again', async () => {
    await page.route('**/console/api/setup', fails)
    await see('/bets')
    await page.getByRole('alert').getByText('the database is away').waitFor()
    await page.unroute('**/console/api/setup')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Bets' }).waitFor()
  })
})

describe('the console of a platform during faults', () => {
  const at = atPlatform()
  let scene: Scene
  let page: Page
  beforeEach(() => {
    ;({ server: scene, page } = at)
  })
  const see = (path: string) => page.goto(`${scene.platform.url}/console${path}`)

  test('shows the selections of a bet in the platform’s list', async () => {
    const selections = ['Ajax - PSV', 'Roma - Lazio'].map((event, i) => ({
      ...{ eventId: `match-${i}`, outcomeId: 'home', coefficient: '2', event, outcome: 'Home' },
    }))
    for (const some of [selections, selections.slice(0, 1)]) await scene.api.place(scene.frame, { selections: some })
    await see('/bets')
    await page.getByRole('row', { name: 'Ajax - PSV and 1 more' }).waitFor()
    await page.getByRole('row', { name: 'Ajax - PSV Home' }).waitFor()
  })

  test('offers the choice of a partner on Deliveries, even with one partner and no deliveries', async () => {
    await see('/deliveries')
    await page.getByText('No delivery needs attention.').waitFor()
    await page.getByLabel('Partner').selectOption(scene.partnerId)
    await page.getByText('Needs attention: none').waitFor()
  })

  test('finds the start of a bet id, a delivery, and a requestId (W-45)', async () => {
    const { betId } = await scene.api.place(scene.frame)
    const [delivery] = (await scene.api.bet(betId)).deliveries
    for (const text of [betId.slice(0, 30), betId, delivery?.deliveryId, delivery?.requestId]) {
      await see(`/find?q=${text}`)
      await page.waitForURL(`**/bets/${betId}`)
      await page.getByRole('heading', { name: 'Bet' }).waitFor()
    }
    const second = await scene.api.place(scene.frame)
    await see(`/find?q=${betId.slice(0, 6)}`)
    for (const id of [betId, second.betId]) await page.getByRole('link', { name: id }).waitFor()
    await expectAccessibleEverywhere(page, 'several bets')
    await see('/find?q=no-such-thing')
    await page.getByText('No results.').waitFor()
  })

  test('retries deliveries without a code separately, and loses none when a request fails (C-16)', async () => {
    const bets: string[] = []
    for (let i = 0; i < 2; i++) {
      const { betId } = await scene.api.place(scene.frame)
      scene.wallet.next('rollback', ...Array.from({ length: 10 }, () => status(500)))
      await scene.api.cancel(betId, 32)
      await scene.time.advance(7 * MINUTE_MS)
      bets.push(betId)
    }
    const [plain = '', coded = ''] = bets
    await scene.platform.sql(`update platform.delivery set code = 77 where status = 'stuck' and bet_id = $1::uuid`, [
      coded,
    ])
    await see('/deliveries')
    const cards = page.getByRole('region', { name: 'Rollback exhausted' })
    await expect.poll(() => cards.count()).toBe(2)
    await cards.filter({ hasNotText: 'code 77' }).getByRole('button', { name: 'Retry 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 delivery would be retried').waitFor()
    await page.route('**/deliveries/retry', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await dialog.getByRole('button', { name: 'Retry 1' }).click()
    await dialog.getByText('1 of 1 retried').waitFor()
    await scene.time.advance(1_000)
    await dialog.getByRole('list').getByText('Delivered', { exact: true }).waitFor()
    expect(scene.wallet.of('rollback', plain)).toHaveLength(11)
    expect(scene.wallet.of('rollback', coded)).toHaveLength(10)
    await expectAccessibleEverywhere(page, 'sent again')
  })

  test('shows the past, planned and exhausted attempts, as the platform has them (C-4)', async () => {
    const gaveUp = await scene.api.place(scene.frame)
    scene.wallet.next('rollback', ...Array.from({ length: 10 }, () => status(500)))
    await scene.api.cancel(gaveUp.betId, 32)
    await scene.time.advance(7 * MINUTE_MS)
    const waiting = await scene.api.place(scene.frame)
    scene.wallet.next('rollback', ...Array.from({ length: 8 }, () => status(500)))
    await scene.api.cancel(waiting.betId, 32)
    // eight attempts are past, and two are planned after 178.5 s and 357.7 s
    await scene.time.advance(100_000)
    await see('/deliveries?view=pending,waiting')
    const schedule = page.getByRole('region', { name: 'Retry schedule' })
    const line = (betId: string) => schedule.getByRole('listitem').filter({ has: page.locator(`a[href$="${betId}"]`) })
    await line(gaveUp.betId).getByText('Exhausted').waitFor()
    const dots = async (betId: string) => [
      await line(betId).locator('.dot.made').count(),
      await line(betId).locator('.dot.planned').count(),
      await line(betId).locator('.schedule-line .gave-up').count(),
    ]
    expect(await dots(gaveUp.betId)).toEqual([10, 0, 1])
    expect(await dots(waiting.betId)).toEqual([8, 2, 0])
    const placeOf = async (what: string) =>
      Number.parseFloat((await line(waiting.betId).locator(what).first().getAttribute('style'))?.slice(5) ?? '')
    expect(await placeOf('.dot.planned')).toBeCloseTo((178.5 / 360) * 100, 0)
    let now = await placeOf('.schedule-now')
    expect(now).toBeGreaterThanOrEqual((100 / 360) * 100 - 0.01)
    // Compares two consecutive readings. Each read of the platform restarts the line, because the
    // platform's clock does not advance.
    const moves = async () => {
      const before = now
      now = await placeOf('.schedule-now')
      return now > before
    }
    await expect.poll(moves).toBe(true)
    await expectAccessibleEverywhere(page, 'the schedule')
    await scene.time.advance(80_000)
    await expect.poll(() => dots(waiting.betId)).toEqual([0, 0, 0])
    expect(await schedule.count(), 'what was given up is there still').toBe(1)
  })

  test('reports no retry when the server refuses', async () => {
    scene.wallet.next('rollback', refusal(100))
    const { betId } = await scene.api.place(scene.frame)
    await scene.api.cancel(betId, 32)
    await scene.time.advance(1_000)
    await see('/deliveries')
    await page.getByRole('region', { name: 'Rollback rejected' }).getByRole('button', { name: 'Retry 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 delivery would be retried').waitFor()
    await page.route('**/deliveries/retry', (route) => route.fulfill({ status: 400, json: { detail: 'not today' } }))
    await dialog.getByRole('button', { name: 'Retry 1' }).click()
    await dialog.getByRole('alert').getByText('The retry failed: not today').waitFor()
    expect(scene.wallet.of('rollback', betId)).toHaveLength(1)
  })
})
