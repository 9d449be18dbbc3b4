/**
 * The page of a player shows available, staked and won money, and the balance as a step chart with
 * the player's bets.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createDeferred } from '@purser/runtime/async/deferred'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { archiveAll, DAY_MS, newFolder, PAST_MIDNIGHT_MS } from '../../server/test/archive/archive-fixtures.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { atWallet } from './at.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

const folder = newFolder()
const at = atWallet()
let wallet: TestWallet
let page: Page
beforeEach(() => {
  ;({ server: wallet, page } = at)
})

const see = (user: string) => page.goto(`${wallet.url}/console/players/${user}`)
const fact = (name: string) => page.locator('.facts div', { hasText: name }).locator('dd').first()

test('the page of a player without money says what it will show', async () => {
  const { userId } = await wallet.operator.createPlayer({ currency: 'JPY', currencies: ['JPY'] })
  await see(userId)
  await page.getByText('The chart starts with the first deposit.').waitFor()
  expect(await fact('Available').textContent()).toBe('0 JPY')
  expect(await fact('Open stakes').textContent()).toBe('0 JPY')
  await expectAccessibleEverywhere(page, 'a player without money')
})

test('the page of a player shows the betting rules, and who set them when', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const path = `/operator/players/${userId}`
  await wallet.operator.request('PATCH', path, { limits: { stake: '50.00', betCount: 3 } })
  await see(userId)
  const rules = page.getByRole('region', { name: 'Limits and restrictions' })
  await rules.getByText('stakes of 50.00, 3 bets').waitFor()
  await rules.getByRole('row').filter({ hasText: 'limits: stake 50.00' }).waitFor()
  const made = rules.getByRole('row').filter({ hasText: 'Create player' })
  await made.filter({ hasText: 'test no' }).waitFor()
  expect(await made.textContent()).not.toMatch(/createdAt|userId|[{}]|false/)
  await wallet.operator.request('PATCH', path, { limits: { stake: null, betCount: null } })
  await rules.getByRole('row').filter({ hasText: 'limits none' }).first().waitFor()
  await wallet.operator.request('PATCH', path, { limits: { stake: '50.00', betCount: 3 } })
  await fact('Locked results').getByText('none').waitFor()
  await fetch(wallet.url + path, {
    method: 'PATCH',
    headers: {
      ...{ authorization: `Bearer ${wallet.operatorKey}`, 'content-type': 'application/json' },
      ...{ 'x-purser-person': 'carol', 'x-purser-reason': 'asked by mail' },
    },
    body: '{"status":"blocked"}',
  })
  const blocked = page.locator('.facts div', { hasText: 'Account' })
  await blocked.getByText('Blocked').waitFor()
  await blocked.getByText(/^by carol, .* ago: asked by mail$/).waitFor()
  await expectAccessibleEverywhere(page, 'the rules of a player')
})

test('the personal data of a player stay hidden until they are revealed, which is logged, and sessions show who began and ended them', async () => {
  const personal = { email: 'ada@person.example', phone: '+4712345678' }
  const customFields = { nickname: 'Countess', ...personal }
  const { userId } = await wallet.operator.createPlayer({ customFields })
  await wallet.operator.request('PATCH', `/operator/players/${userId}`, { birthday: '1815-12-10' })
  await wallet.operator.session(userId)
  await wallet.operator.request('DELETE', `/operator/players/${userId}/sessions`)
  await wallet.operator.session(userId)
  const answers: Promise<string>[] = []
  page.on('response', (response) => response.url().includes('/operator/players/') && answers.push(response.text()))
  await see(userId)
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('row').filter({ hasText: 'Ended' }).getByText('all sessions ended by hand').waitFor()
  await sessions.getByRole('row').filter({ hasText: 'Active' }).getByText('Root key').waitFor()
  const card = page.getByRole('region', { name: 'Personal data' })
  await card.getByText('No access yet.').waitFor()
  const bodies = (await Promise.all(answers)).join('\n')
  expect([...Object.values(personal), '1815-12-10'].filter((text) => bodies.includes(text))).toEqual([])
  await card.getByRole('button', { name: 'Reveal' }).click()
  await card.getByText(personal.email).waitFor()
  await card.getByText('1815-12-10').waitFor()
  await card.getByRole('row').filter({ hasText: 'birthday, nickname, email, phone' }).waitFor()
  await expectAccessibleEverywhere(page, 'an opened player')
  await card.getByRole('button', { name: 'Hide' }).click()
  await card.getByText(personal.email).waitFor({ state: 'detached' })
  const kept = await wallet.operator.request('GET', `/operator/players/${userId}/personal-data`)
  expect(kept.body).toMatchObject({ data: [{ operation: 'openPersonalData', key: { name: 'OPERATOR_API_KEY' } }] })
})

test('the selected currency is in the address', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  await wallet.operator.deposit(userId, '7.00', 'USD')
  await see(userId)
  await page.getByRole('button', { name: 'USD' }).click()
  await page.getByRole('img', { name: 'first 7.00, last 7.00' }).waitFor()
  await page.reload()
  await page.getByRole('img', { name: 'first 7.00, last 7.00' }).waitFor()
  expect(new URL(page.url()).searchParams.get('currency')).toBe('USD')
  const lines = page.getByRole('region', { name: 'Statement' }).locator('tbody tr')
  await lines.filter({ hasText: 'USD' }).waitFor()
  expect(await lines.count(), 'the statement has no line of another currency').toBe(1)
})

test('nothing on the page moves when the balance arrives', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const held = createDeferred()
  await page.route('**/statement?limit=200*', async (route) => {
    await held.promise
    await route.continue()
  })
  await see(player.userId)
  // the statement is loaded
  await page.getByRole('region', { name: 'Statement' }).getByText('Deposit').waitFor()
  const below = page.getByRole('link', { name: 'Declined bets' })
  const before = await below.boundingBox()
  held.resolve()
  await page.getByRole('img', { name: 'first 100.00, last 100.00' }).waitFor()
  expect(await below.boundingBox()).toEqual(before)
})

describe('the console with scrollbars that take space', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch({ hasScrollbars: true })
  })
  afterAll(() => browser?.close())

  test.each([800, 1280])('moves nothing and leaves nothing undimmed when a dialog opens, %i px wide', async (width) => {
    const { userId } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const open = await (await signedIn(browser, wallet.url, wallet.operatorKey)).newPage()
    await open.setViewportSize({ width, height: 600 })
    await open.goto(`${wallet.url}/console/players/${userId}`)
    await open.getByText('Limits and restrictions').waitFor()
    const adjust = open.getByRole('button', { name: 'Adjust…', exact: true })
    const before = await adjust.boundingBox()
    await adjust.click()
    await open.getByRole('dialog').waitFor()
    expect(await adjust.boundingBox()).toEqual(before)
    await open.mouse.move(4, 300)
    await open.mouse.wheel(0, 400)
    await open.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    expect(await open.evaluate('scrollY'), 'the page behind stands still').toBe(0)
    // without a scrollbar its space is still reserved
    await open.setViewportSize({ width, height: 3_000 })
    const room = () => open.screenshot({ clip: { x: width - 10, y: 20, width: 8, height: 20 } })
    const dim = await room()
    await open.keyboard.press('Escape')
    await open.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await room()).equals(dim), 'its room is dim too').toBe(false)
    await open.setViewportSize({ width, height: 600 })
    expect(await adjust.boundingBox()).toEqual(before)
  })

  test('has the sign-in card in the centre', async () => {
    const signInPage = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await signInPage.goto(`${wallet.url}/console`)
    await signInPage.getByRole('button', { name: 'Sign in' }).waitFor()
    const { x, width } = (await signInPage.locator('.sign-in-page .card').boundingBox()) ?? { x: 0, width: 0 }
    expect(x + width / 2).toBe(640)
    await signInPage.close()
  })
})

interface Canvas {
  toDataURL(): string
}

/** Pixels below the last row of a card. */
const SPARE_PX = 24
const bottomOf = (box: { y: number; height: number } | null) => (box?.y ?? 0) + (box?.height ?? 0)

test('a list is as high as its rows, and content below it waits for them, so that nothing moves', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const place = async () => {
    const transactionId = randomUUID()
    expect((await wallet.wire.place({ ...player, transactionId, amount: 1 } as never)).status).toBe(200)
    return transactionId
  }
  for (let i = 0; i < 3; i++) await place()
  const held = createDeferred()
  for (const list of ['**/statement?limit=20&*', '**/operator/bets?limit=20&*'])
    await page.route(list, async (route) => {
      await held.promise
      await route.continue()
    })
  await see(player.userId)
  await page.getByRole('img', { name: 'first 100.00' }).waitFor()
  const below = page.getByText('Limits and restrictions')
  expect(await below.isVisible()).toBe(false)
  held.resolve()
  await below.waitFor()
  for (const list of ['Statement', 'Bets']) {
    const card = page.getByRole('region', { name: list, exact: true })
    await card.getByRole('row').nth(3).waitFor()
    const [whole, last] = [await card.boundingBox(), await card.getByRole('row').last().boundingBox()]
    expect(bottomOf(whole) - bottomOf(last)).toBeLessThan(SPARE_PX)
  }
  const before = await below.boundingBox()
  const transactionId = await place()
  const bets = page.getByRole('region', { name: 'Bets', exact: true })
  await bets.locator(`a[href$="/${transactionId}"]`).waitFor()
  expect(await below.boundingBox(), 'a row that comes moves nothing below').toEqual(before)
})

test('the page of a player shows the exact amounts available, staked and won, and links each step to its bet', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const bet = (amount: number) => ({ ...player, transactionId: randomUUID(), amount, currency: 'EUR' })
  const [won, open] = [bet(10.1), bet(20.2)]
  expect((await wallet.wire.place(won as never)).status).toBe(200)
  expect((await wallet.wire.settle({ ...won, amount: 25.35, resultType: 'won' } as never)).status).toBe(200)
  expect((await wallet.wire.place(open as never)).status).toBe(200)
  await see(player.userId)
  await page.getByRole('img', { name: 'after each of 4 transfers: first 100.00, last 95.05' }).waitFor()
  expect(await fact('Available').textContent()).toBe('95.05 EUR')
  expect(await fact('Open stakes').textContent()).toBe('20.20 EUR')
  expect(await fact('Player net').textContent()).toBe('+15.25 EUR and 20.20 EUR in open stakes')
  for (const [name, status, id] of [
    ['Open stakes', 'open', open.transactionId],
    ['Player net', 'settled', won.transactionId],
  ] as const) {
    await fact(name).getByRole('link').click() // to the bets of this sum
    await page.waitForURL(`**/bets?player=${player.userId}&status=${status}`)
    await page.getByRole('heading', { name: 'Bets', level: 1 }).waitFor()
    await page.locator(`a[href$="${id}"]`).waitFor()
    await page.goBack()
  }
  await expectAccessibleEverywhere(page, 'a player')
  await see(player.userId)
  const chart = page.getByRole('region', { name: 'Balance' })
  const box = await chart.locator('.u-over').boundingBox()
  await chart.locator('.u-over').hover({ position: { x: (box?.width ?? 0) - 3, y: 40 } })
  await chart.getByText('stake −20.20, balance 95.05 EUR').waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), chart.getByRole('button', { name: 'CSV' }).click()])
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines.map((line) => line.split(',').slice(1, 4).join(' '))).toEqual([
    'kind amount balance',
    'deposit 100.00 100.00',
    'stake -10.10 89.90',
    'payout 25.35 115.25',
    'stake -20.20 95.05',
  ])
  const drawn = () => chart.locator('canvas').evaluate((canvas) => (canvas as unknown as Canvas).toDataURL())
  const dark = await drawn() // the colour scheme from the check before
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(drawn, { message: 'the chart in the colours of the day' }).not.toBe(dark)
  await chart.getByRole('link').click()
  await page.getByText('The result is not known yet; the stake is held.').waitFor()
})

test('a line of the statement shows whether a bet is open or lost and its selections, and a result updates it', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const selection = (event: string) => ({ event, market: 'Match winner', outcome: 'Home' })
  const bet = (amount: number, ...events: string[]) => ({
    ...{ ...player, transactionId: randomUUID(), amount, currency: 'EUR', metadata: events.map(selection) },
  })
  const [lost, open] = [bet(10, 'Arsenal - Chelsea'), bet(20, 'Ajax - PSV', 'Roma - Lazio', 'Celta - Betis')]
  for (const one of [lost, open]) expect((await wallet.wire.place(one as never)).status).toBe(200)
  const lose = (one: object) => wallet.wire.settle({ ...one, amount: 0, resultType: 'lost' } as never)
  expect((await lose(lost)).status).toBe(200)
  await see(player.userId)
  const row = (list: string, of: string) => page.getByRole('region', { name: list }).getByRole('row', { name: of })
  for (const list of ['Statement', 'Bets']) {
    await row(list, 'Arsenal - Chelsea Home').getByText('Lost', { exact: true }).waitFor()
    await row(list, 'Ajax - PSV and 2 more').getByText('Open', { exact: true }).waitFor()
  }
  await row('Statement', 'Ajax - PSV').locator('[data-hint*="Roma - Lazio · Match winner · Home"]').waitFor()
  await expectAccessibleEverywhere(page, 'a player with matches')
  expect((await lose(open)).status).toBe(200)
  await row('Statement', 'Ajax - PSV').getByText('Lost', { exact: true }).waitFor()
  await row('Bets', 'Ajax - PSV').getByText('Lost', { exact: true }).waitFor()
})

test('the end of the statement says which transfers are archived, and with what balance they end', async () => {
  const other = await startWallet()
  other.clock.advance(-60 * DAY_MS)
  const { userId } = await playerWithMoney(other.operator, '100.00', 'EUR')
  const day = other.clock.now().toISOString().slice(0, 10)
  other.clock.advance(PAST_MIDNIGHT_MS)
  await archiveAll(other, folder.path)
  const seen = await signedIn(at.browser, other.url, other.operatorKey)
  const open = await seen.newPage()
  await open.goto(`${other.url}/console/players/${userId}`)
  await open.getByText('All transfers are archived in files.').waitFor()
  const note = open.getByRole('region', { name: 'Statement' }).getByRole('note')
  await note.getByText('The balance at that time was 100.00 EUR.').waitFor()
  expect(await note.textContent()).toContain('(EUR-1) are archived in files')
  expect(await note.getByRole('listitem').textContent()).toMatch(/^purser-archive-.*\.gz, account 1$/)
  const players = await other.operator.request('GET', `/operator/reports/players?day=${day}`)
  expect(players, 'the players of a day whose transfers lie in files').toMatchObject({ status: 400 })
  await other.operator.deposit(userId, '5.00')
  await open.getByRole('cell', { name: '105.00' }).waitFor()
  await note.waitFor()
  await expectAccessibleEverywhere(open, 'a player with an archive')
  await seen.close()
  await other.auditIsClean()
  await other.stop()
})
