/**
 * Live pages follow the stream of changed ids and show its state in the top bar. Lists do not move
 * while a user reads.
 */
import { randomUUID } from 'node:crypto'
import { createDeferred } from '@purser/runtime/async/deferred'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Scene, startScene } from '../../server/test/platform/scene.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { expectAccessibleEverywhere, launch, middleOf, signedIn } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const isLive = (page: Page) => page.getByRole('button', { name: 'Live', exact: true }).waitFor()

/** Headings, filters and column heads that the button for new rows covers. */
const COVERED = `(() => {
  const button = document.querySelector('.fresh button').getBoundingClientRect()
  const range = document.createRange()
  return [...document.querySelectorAll('h1, h2, th, label, .card > header button')].filter((one) => {
    range.selectNodeContents(one)
    const { left, right, top, bottom, width } = range.getBoundingClientRect()
    return width > 0 && left < button.right && right > button.left && top < button.bottom && bottom > button.top
  }).map(({ textContent }) => textContent)
})()`

describe('the live console of a wallet', () => {
  let wallet: TestWallet
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    wallet = await startWallet()
  })
  beforeEach(async () => {
    context = await signedIn(browser, wallet.url, wallet.operatorKey)
    page = await context.newPage()
    return () => context.close()
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
  const see = async (path: string) => {
    await page.goto(`${wallet.url}/console${path}`)
    await isLive(page)
  }
  const newBet = async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const bet = { userId, token, transactionId: randomUUID(), amount: 10 }
    expect((await wallet.wire.place(bet)).status).toBe(200)
    return bet
  }
  const linkOf = ({ userId, transactionId }: { userId: string; transactionId: string }) =>
    page.locator(`table.list a[href$="/bets/${userId}/${transactionId}"]`)

  test('opens one stream for all of its pages, and polls nothing while nothing happens', async () => {
    const streams = new Set<Request>()
    let most = 0
    const bets: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/operator/live')) streams.add(request)
      most = Math.max(most, streams.size)
      if (request.url().includes('/operator/bets')) bets.push(request.url())
    })
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (one) => void streams.delete(one))
    await see('/bets')
    await page.getByRole('link', { name: 'API calls' }).click()
    await page.getByRole('link', { name: 'Bets' }).click()
    await page.getByText('No bets yet.').waitFor()
    const before = bets.length
    const bet = await newBet()
    await linkOf(bet).waitFor()
    expect(most).toBe(1)
    // The change causes one request, the start of the stream perhaps another, and the return to the
    // page up to two. The bound is higher, to detect only a page that repeats its requests.
    expect(bets.length - before, 'a few questions for one change').toBeLessThanOrEqual(8)
  })

  test('pauses and continues by its dot, and then shows what arrived in the meantime', async () => {
    await see('/bets')
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByRole('button', { name: 'Paused' }).waitFor()
    const bet = await newBet()
    await page.getByRole('button', { name: 'Paused' }).click()
    await isLive(page)
    await linkOf(bet).waitFor()
    await expectAccessibleEverywhere(page, 'the top bar')
  })

  test('polls nothing while it is paused, however long', async () => {
    const { userId } = await newBet()
    await page.clock.install()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/operator/')) asked.push(request.url())
    })
    await see(`/players/${userId}`)
    await page.getByRole('img', { name: 'after each of 2 transfers' }).waitFor()
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByRole('button', { name: 'Paused' }).waitFor()
    await wallet.operator.deposit(userId, '55.00', 'EUR')
    const before = asked.length
    await page.clock.fastForward(60_000)
    await page.clock.fastForward(60_000)
    expect(asked.slice(before)).toEqual([])
    await page.getByRole('button', { name: 'Paused' }).click()
    await page.getByRole('img', { name: 'after each of 3 transfers' }).waitFor()
  })

  test('shows that it is connecting, and no loss, until the first stream of a page begins', async () => {
    const held = createDeferred()
    await page.route('**/operator/live', (route) => held.promise.then(() => route.continue()))
    await page.goto(`${wallet.url}/console/bets`)
    await page.getByRole('button', { name: 'Connecting', exact: true }).waitFor()
    held.resolve()
    await isLive(page)
  })

  test('shows that it reconnects when the server ends the stream', async () => {
    await see('/bets')
    await page.route('**/operator/{live,ledger}', (route) => route.abort())
    await page.reload()
    await page.getByRole('button', { name: 'Reconnecting' }).waitFor()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByText('Ledger unknown').waitFor()
    const tops = await Promise.all(
      [page.locator('.live'), page.locator('.ledger'), page.getByRole('button', { name: 'Local' })].map(middleOf),
    )
    // on a phone too, all are on one line
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4)
    await page.setViewportSize({ width: 1280, height: 800 })
    const bet = await newBet()
    await linkOf(bet).waitFor() // the page polls by itself
    await page.unroute('**/operator/{live,ledger}')
    await isLive(page)
  })

  test('shows when the ledger was last checked to sum to zero', async () => {
    await see('/bets')
    await page.getByRole('link', { name: /^Ledger balanced · \d+ s ago$/ }).waitFor()
  })

  test('returns to the sign-in when the session was ended elsewhere', async () => {
    await see('/bets')
    const headers = { 'x-purser-console': '1' }
    expect((await context.request.delete(`${wallet.url}/console/api/session`, { headers })).status()).toBe(204)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('counts new bets while a row is in focus, moves nothing, and shows them on a click', async () => {
    const first = await newBet()
    await see('/bets')
    await linkOf(first).hover()
    const before = await linkOf(first).boundingBox()
    const others = [await newBet(), await newBet()]
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await linkOf(first).boundingBox()).toEqual(before)
    expect(await page.evaluate(COVERED), 'nothing is under the button').toEqual([])
    expect((await wallet.wire.settle({ ...first, amount: 25, resultType: 'won' })).status).toBe(200)
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${first.transactionId}"]`) })
    await row.getByText('25.00').waitFor() // a visible row is current
    expect(await linkOf(others[0] as typeof first).count()).toBe(0)
    // The click moves no pointer. A pointer that leaves the list makes the rows appear and removes
    // the button.
    await page.getByRole('button', { name: '2 new' }).dispatchEvent('click')
    for (const one of others) await linkOf(one).waitFor()
    await page.getByRole('button', { name: '2 new' }).waitFor({ state: 'detached' })
    await linkOf(first).hover()
    await newBet()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    await expectAccessibleEverywhere(page, 'bets with new ones')
  })

  test.each([360, 1280])(
    'keeps the button for new rows visible, clear of column heads, at any scroll position, %i px wide',
    async (width) => {
      for (let i = 0; i < 12; i++) await newBet()
      await see('/bets')
      await page.setViewportSize({ width, height: 500 })
      await page.locator('table.list td a').nth(5).waitFor()
      await page.keyboard.press('j')
      await newBet()
      const button = page.getByRole('button', { name: '1 new' })
      await button.waitFor()
      const list = (await page.locator('table.list').boundingBox())?.y ?? 0
      for (let y = Math.floor(list) - 180; y < list + 60; y += 7) {
        await page.evaluate(`scrollTo(0, ${y})`)
        await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
        expect(await page.evaluate(COVERED), `scrolled by ${y}`).toEqual([])
        const bar = (await page.locator('.bar').boundingBox()) ?? { y: 0, height: 0 }
        expect((await button.boundingBox())?.y, `below the bar, scrolled by ${y}`).toBeGreaterThanOrEqual(
          bar.y + bar.height,
        )
      }
    },
  )

  test('moves by keys through the calls, and through the bets of a player', async () => {
    const { userId, transactionId } = await newBet()
    await page.goto(`${wallet.url}/console/calls`)
    const newest = page.getByRole('row').filter({ has: page.locator(`a[href$="${transactionId}"]`) })
    await newest.waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.call-details').getByText(transactionId).first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.call-details').waitFor({ state: 'detached' })

    await see(`/players/${userId}`)
    // the statement links to the bet too
    const bets = page.getByRole('region', { name: 'Bets', exact: true })
    await bets.locator(linkOf({ userId, transactionId })).waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => page.locator('tr.at').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/bets/${userId}/${transactionId}`)
  })

  test('filters the calls by text repeatedly, and a paused list stays unchanged', async () => {
    const { userId } = await newBet()
    await page.goto(`${wallet.url}/console/calls`)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    const words = page.getByLabel('Filters', { exact: true })
    const places = page.getByRole('table').getByText('Place bet', { exact: true })
    for (const [typed, count] of [
      [`player:${userId}`, 1],
      [`player:${userId} op:settle`, 0],
      [`player:${userId} op:place`, 1],
    ] as const) {
      await words.fill(typed)
      await words.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('q') === typed)
      await expect.poll(() => places.count()).toBe(count)
      expect(await words.count()).toBe(1)
      expect(await words.inputValue()).toBe(typed)
      await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
    }
  })

  test('shows the current state of a bet that is opened again', async () => {
    const { userId, transactionId } = await newBet()
    await see(`/bets/${userId}/${transactionId}`)
    const open = page.getByText('The result is not known yet')
    await open.first().waitFor()
    await page.getByRole('link', { name: 'Finance', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Finance' }).waitFor()
    expect((await wallet.wire.settle({ userId, transactionId, amount: 25 })).status).toBe(200)
    const held = createDeferred()
    await page.route(`**/players/${userId}/bets/${transactionId}`, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goBack()
    await page.locator('main .waiting').first().waitFor()
    expect(await open.count()).toBe(0)
    held.resolve()
    await page.getByText('25.00 EUR was paid').first().waitFor()
  })

  test('counts new calls while one is open, and shows them when it is closed', async () => {
    const { transactionId } = await newBet()
    await page.goto(`${wallet.url}/console/calls`)
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${transactionId}"]`) })
    await row.getByRole('button', { name: 'place' }).click()
    await page.getByText('Valid: signed with the first secret of the platform').waitFor()
    const open = page.locator('.call-details')
    const body = await open.textContent()
    await newBet()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await page.evaluate(COVERED), 'no heading is under the button').toEqual([])
    expect((await open.textContent()) === body).toBe(true)
    expect(body?.includes(transactionId)).toBe(true)
    await row.getByRole('button', { name: 'place' }).click()
    await page.mouse.move(0, 0)
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' })
  })
})

describe('the live console of a platform', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene.stop())

  test('receives its bets by its own stream, and has no status of a ledger', async () => {
    const context = await signedIn(browser, scene.platform.url, scene.platform.key)
    const page = await context.newPage()
    await page.goto(`${scene.platform.url}/console/bets`)
    await isLive(page)
    const { betId } = await scene.api.place(scene.frame)
    await page.locator(`table.list a[href$="/bets/${betId}"]`).waitFor()
    expect(await page.getByText('Ledger balanced').count()).toBe(0)
    await context.close()
  })
})
