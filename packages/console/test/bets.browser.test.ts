/**
 * The page Bets filters by state, player and days, and the page address contains the filters. The
 * page of a player links to the player's bets.
 */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { inSql } from '../../server/test/support/second-postgres.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const DAY_MS = 86_400_000
/**
 * The clock is at noon, three days ago. The journal makes its partitions by the database's clock
 * (W-30).
 */
const at = atWallet({}, async ({ clock, databaseUrl }) => {
  clock.advance(DAY_MS / 2 - (clock.now().getTime() % DAY_MS) - 3 * DAY_MS)
  await inSql(databaseUrl, "select purser.rotate_journal_of('purser', current_date - 3, 99)")
})
let wallet: TestWallet
let page: Page
beforeEach(() => {
  ;({ server: wallet, page } = at)
})

const see = (path: string) => page.goto(`${wallet.url}/console${path}`)
const today = () => wallet.clock.now().toISOString().slice(0, 10)
const ids = async () =>
  (await page.getByRole('region', { name: 'Bets', exact: true }).locator('td code').evaluateAll(hints)) as string[]
const hints = (codes: { dataset: { hint: string } }[]) => codes.map(({ dataset }) => dataset.hint)
const query = (name: string) => new URL(page.url()).searchParams.get(name)

/** Each bet is a second later than the one before. */
async function place(userId: string, amount: number, over: object = {}): Promise<string> {
  wallet.clock.advance(1_000)
  const bet = { userId, token: await wallet.operator.session(userId), transactionId: randomUUID(), amount, ...over }
  expect((await wallet.wire.place(bet)).status).toBe(amount > 100 ? 400 : 200)
  return bet.transactionId
}

test('the bet list filters by player, status and days, and a player’s declined bets are one click from the player', async () => {
  const [hana, fay] = [await playerWithMoney(wallet.operator, '50.00'), await playerWithMoney(wallet.operator, '50.00')]
  const first = today()
  const [old, refused] = [await place(hana.userId, 10), await place(hana.userId, 1_000)]
  wallet.clock.advance(DAY_MS)
  const others = await place(fay.userId, 10)
  const late = await place(hana.userId, 1)

  await see(`/players/${hana.userId}`)
  // the content above the link is loaded
  await page.getByRole('region', { name: 'Statement' }).getByText('Deposit').waitFor()
  await page.getByRole('link', { name: 'Declined bets' }).click()
  await expect.poll(ids).toEqual([refused])
  expect([query('player'), query('status')]).toEqual([hana.userId, 'refused'])
  expect(await page.getByLabel('Player').inputValue()).toBe(hana.userId)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect.poll(ids).toEqual([late, refused, old])
  expect(query('player'), 'a state leaves the other filters').toBe(hana.userId)

  await page.getByLabel('To (UTC)').fill(first)
  await expect.poll(ids).toEqual([refused, old])
  await page.getByLabel('To (UTC)').fill('')
  await page.getByLabel('From (UTC)').fill(today())
  await expect.poll(ids).toEqual([late])
  await page.getByLabel('Player').fill('')
  await page.keyboard.press('Enter')
  await expect.poll(ids).toEqual([late, others])
  expect([...new URL(page.url()).searchParams]).toEqual([['from', today()]])
  await expectAccessibleEverywhere(page, 'bets of a day')

  await see(`/bets?player=${hana.userId}&from=${first}&to=${first}`)
  await expect.poll(ids).toEqual([refused, old])
  await page.getByLabel('Player').fill(' nobody ')
  await page.getByRole('button', { name: 'Declined', exact: true }).click()
  await page.getByText('No matching bets.').waitFor()
  expect([query('player'), query('status')]).toEqual(['nobody', 'refused'])
  await expectAccessibleEverywhere(page, 'no such bets')
})

test('the bet list suggests at most ten players by id or nickname, and filters by a choice or on Enter', async () => {
  const named = async (userId: string, nickname: string) => {
    await wallet.operator.createPlayer({ userId, customFields: { nickname } })
    await wallet.operator.deposit(userId, '50.00')
    return place(userId, 1)
  }
  const bets = [await named('zoe-of-oslo', 'Countess'), await named('zoltan', 'Zed')]
  for (let i = 0; i < 12; i++) await wallet.operator.createPlayer({ userId: `zz-${i}` })
  await see('/bets')
  await expect.poll(ids).toContain(bets[0])
  const field = page.getByLabel('Player')
  const offered = () =>
    page.locator('datalist option').evaluateAll((all) => all.map((one) => (one as { value: string }).value))
  await field.fill('zo')
  await expect.poll(offered).toEqual(['zoe-of-oslo', 'zoltan'])
  // The event of Chromium for a choice in its list; without a window it shows no list.
  await page.evaluate(`(() => {
    const field = document.querySelector('input[list]')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'zoltan')
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertReplacementText' }))
  })()`)
  await expect.poll(ids).toEqual([bets[1]])
  expect(query('player')).toBe('zoltan')
  await field.fill('Count')
  await expect.poll(offered).toEqual(['zoe-of-oslo'])
  await field.fill('zz-')
  await expect.poll(async () => (await offered()).length).toBe(10)
  expect(query('player'), 'what is typed does not filter yet').toBe('zoltan')
  await field.fill('zoe-of-oslo')
  await field.press('Enter')
  await expect.poll(ids).toEqual([bets[0]])
  await expectAccessibleEverywhere(page, 'bets of a player that was offered')
})

test('a bet in the list shows its selections as names, else as ids, else as nothing', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  for (const metadata of [
    [{ event: 'Ajax - PSV', outcome: 'Draw' }],
    [{ eventId: 4711, outcomeId: 'home' }],
    undefined,
  ])
    await place(userId, 1, { metadata })
  await see(`/bets?player=${userId}`)
  const matches = () =>
    page.getByRole('region', { name: 'Bets', exact: true }).locator('td:nth-child(4)').allTextContents()
  await expect.poll(matches).toEqual(['–', '4711home', 'Ajax - PSVDraw'])
  await expectAccessibleEverywhere(page, 'bets with matches')
})

test('a wallet without a platform shows the odds and no results of selections, which no call has', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  const transactionId = await place(userId, 1, {
    coefficient: 3.75,
    metadata: [{ event: 'Ajax - PSV', outcome: 'Draw' }],
  })
  expect((await wallet.wire.settle({ userId, transactionId, amount: 4 })).status).toBe(200)
  await see(`/bets/${userId}/${transactionId}`)
  await page.locator('.facts').getByText('3.75 pay at most 3.75 EUR', { exact: true }).waitFor()
  const heads = page.getByRole('region', { name: 'Selections' }).getByRole('columnheader')
  expect(await heads.allTextContents()).toEqual(['Event', 'Market', 'Outcome', 'Odds'])
})

test('an id is shown in full on hover and focus and has a copy button, and a time is exact on hover', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  const id = await place(userId, 1)
  await at.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await see(`/bets?player=${userId}`)
  const card = page.getByRole('tooltip')
  await page.locator('td time').first().hover()
  await card.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\s/).waitFor()
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'hidden' })
  await page.locator(`a[href$="${id}"]`).focus()
  await card.getByText(id, { exact: true }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await card.getByText('Copied').waitFor()
  expect(await page.locator('[aria-live=polite]').allTextContents(), 'said aloud').toContain('Copied')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  await expectAccessibleEverywhere(page, 'an id that was copied')
})

test('the bet list refuses an invalid day with a message', async () => {
  await see('/bets?from=yesterday')
  await page.getByRole('alert').getByText('from').waitFor()
})

test('the page of a declined bet shows the requested and the available amount without a click', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '32.12')
  await place(userId, 12)
  const refused = await place(userId, 1_000)
  await wallet.operator.deposit(userId, '5000.00')
  await see(`/bets/${userId}/${refused}`)
  const said = 'The bet of 1,000.00 EUR was declined, because there was not enough money: 20.12 EUR was available.'
  await page.getByText(`${said} No money was taken.`).waitFor()
  const facts = await page.locator('.facts dt').allTextContents()
  expect(facts).toEqual(['Player', 'Requested stake', 'Payout', 'Player net', 'Odds', 'Requested'])
  expect(await page.locator('.facts dd').nth(1).textContent()).toBe('1,000.00 EUR')
  await expectAccessibleEverywhere(page, 'a refused bet')
})

test('a refund is what a Rollback gave back in every list, and a result that returns the stake is void and has a payout', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  const [undone, isVoid] = [await place(userId, 10), await place(userId, 20)]
  expect((await wallet.wire.rollback({ userId, transactionId: undone, amount: 10 })).status).toBe(200)
  const result = { userId, transactionId: isVoid, amount: 20, resultType: 'refund' }
  expect((await wallet.wire.settle(result)).status).toBe(200)
  for (const path of [`/bets?player=${userId}`, `/players/${userId}`]) {
    await see(path)
    const row = (state: string) =>
      page.getByRole('region', { name: 'Bets', exact: true }).getByRole('row', { name: state })
    await row('Cancelled').getByText('refund 10.00').waitFor()
    await row('Void').getByText('20.00').nth(1).waitFor()
  }
  const kinds = await page.getByRole('region', { name: 'Statement' }).locator('td:nth-child(2)').allTextContents()
  expect(kinds).toEqual(['Payout', 'Refund', 'Stake', 'Stake', 'Deposit'])
  const fact = (name: string) =>
    page
      .locator('.facts div')
      .filter({ has: page.locator('dt', { hasText: name }) })
      .locator('dd')
  await see(`/bets/${userId}/${undone}`)
  await expect.poll(() => fact('Refund').textContent()).toBe('10.00 EUR')
  expect(await fact('Stake').textContent()).toBe('10.00 EUR taken once, refunded once')
  await see(`/bets/${userId}/${isVoid}`)
  await expect.poll(() => fact('Payout').textContent()).toBe('20.00 EUR paid once')
  await page.locator('.head').getByText('Void').waitFor()
  expect(await page.locator('.facts dt', { hasText: 'Refund' }).count()).toBe(0)
})

test('texts begin alike on every page, a gain has its sign, and no text is cut off', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  const won = await place(userId, 10)
  expect((await wallet.wire.settle({ userId, transactionId: won, amount: 20.2, resultType: 'won' })).status).toBe(200)
  await see(`/calls?q=bet:${won}`)
  const calls = page.locator('table.calls')
  await calls.getByText('Settle', { exact: true }).waitFor()
  await calls.getByText('Place bet', { exact: true }).waitFor()
  expect(await calls.getByText('Accepted', { exact: true }).count()).toBe(2)
  await see(`/bets/${userId}/${won}`)
  await page.locator('.facts').getByText('+10.20 EUR', { exact: true }).waitFor()
  await see('/bets')
  expect(await page.getByRole('button', { name: 'Unmatched' }).getAttribute('title')).toContain('never placed')
  await wallet.operator.patch(userId, {
    customFields: { nickname: 'a nickname that is longer than a cell of the table' },
  })
  await see('/settings')
  const member = page
    .getByRole('region', { name: 'Audit log' })
    .getByText('a nickname that is longer than a cell of the table')
  await member.waitFor()
  expect(await member.textContent()).toBe('nickname a nickname that is longer than a cell of the table')
  await expectAccessibleEverywhere(page, 'actions')
})
