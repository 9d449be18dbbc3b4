/**
 * The page Finance shows the GGR of a day. A stake counts for the day on which its bet is settled.
 */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const DAY_MS = 86_400_000
// noon, so that no day ends during the test
const at = atWallet({}, ({ clock }) => clock.advance(1.5 * DAY_MS - (clock.now().getTime() % DAY_MS)))
let wallet: TestWallet
let page: Page
beforeEach(() => {
  ;({ server: wallet, page } = at)
})

const today = () => wallet.clock.now().toISOString().slice(0, 10)

async function see(day: string): Promise<void> {
  await at.see(`/money?day=${day}`)
  await page.getByRole('region', { name: 'GGR of the day' }).waitFor()
}
const cells = (currency: string) =>
  page
    .getByRole('region', { name: 'GGR of the day' })
    .getByRole('row', { name: new RegExp(`^${currency} `) })
    .getByRole('cell')
    .allTextContents()

test('the GGR of a day has the bets that were settled on it, and an open stake counts on the day of its settlement', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const bet = (amount: number) => ({ userId: player.userId, token: player.token, transactionId: randomUUID(), amount })
  const [lost, won, corrected, open, cancelled] = [bet(10), bet(10), bet(1.01), bet(20), bet(5)]
  for (const one of [lost, won, corrected, open, cancelled]) expect((await wallet.wire.place(one)).status).toBe(200)
  const settled = async (one: object, amount: number, resultType: string) =>
    expect((await wallet.wire.settle({ ...one, amount, resultType })).status).toBe(200)
  await settled(lost, 0, 'lost')
  await settled(won, 25, 'won')
  await settled(corrected, 3, 'won')
  await settled(corrected, 0, 'lost')
  expect((await wallet.wire.rollback(cancelled)).status).toBe(200)
  const inYen = await playerWithMoney(wallet.operator, '5000', 'JPY')
  const yen = { userId: inYen.userId, token: inYen.token, transactionId: randomUUID(), currency: 'JPY', amount: 300 }
  expect((await wallet.wire.place(yen)).status).toBe(200)

  const first = today()
  await see(first)
  expect(await cells('EUR')).toEqual(['46.01', '−5.00', '−25.00', '−20.00', '−3.99'])
  expect(await cells('JPY')).toEqual(['300', '0', '0', '−300', '0'])
  await page.getByText('A stake counts when its bet is settled').waitFor()
  expect(await page.getByText(/Out of balance|do not add up/).count()).toBe(0)
  await expectAccessibleEverywhere(page, 'the result of a day')
  const leadsTo = async (row: string, number: string, address: string, below: string) => {
    const card = page.getByRole('region', { name: 'EUR', exact: true })
    await card.getByRole('row', { name: row }).getByRole('link', { name: number }).click()
    await page.waitForURL(`**/console/${address}`)
    await page.getByText(below).first().waitFor()
    await page.goBack()
  }
  const days = `from=${first}&to=${first}`
  const transfers = (kind: string) => `money/transfers?kind=${kind}&${days}&currency=EUR`
  await leadsTo('Stakes', '−46.01', transfers('stake'), '−20.00')
  await leadsTo('Payouts', '28.00', transfers('payout'), '+25.00')
  await leadsTo('Deposits', '100.00', transfers('deposit'), '+100.00')
  await theTransfers(`/money/transfers?kind=deposit&${days}`, player.userId)
  await see(first)
  await leadsTo('Closing player balances', '83.99', `reports?${days}&currency=EUR&view=trial`, 'Open stakes')

  wallet.clock.advance(DAY_MS)
  await settled(open, 0, 'lost')
  await see(today())
  expect(await cells('EUR')).toEqual(['0.00', '0.00', '0.00', '20.00', '20.00'])
  await page.getByRole('button', { name: 'Previous day' }).click()
  await expect.poll(() => cells('EUR')).toEqual(['46.01', '−5.00', '−25.00', '−20.00', '−3.99'])
})

/** Each filter is in the address, and keys select rows. */
async function theTransfers(address: string, player: string): Promise<void> {
  await at.see(address)
  const table = page.getByRole('region', { name: 'Transfers' })
  const lines = table.locator('tbody tr')
  await expect.poll(() => lines.count()).toBe(2)
  await expectAccessibleEverywhere(page, 'the transfers of a day')
  await page.getByLabel('Currency').fill('eur')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console${address}&currency=EUR`)
  await expect.poll(() => lines.count()).toBe(1)
  await page.getByLabel('Currency').blur()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/players/${player}`)
  await page.goBack()
  await page.getByLabel('Type').selectOption('Withdrawal')
  await page.getByText('No matching transfers.').waitFor()
  await page.getByRole('link', { name: 'Finance of' }).click()
  await page.getByRole('region', { name: 'GGR of the day' }).waitFor()
}

test('a day without money can be reconciled', async () => {
  await at.see('/money?day=2001-01-01')
  await page.getByText('No activity on this day.').waitFor()
  await page.getByRole('region', { name: 'Reconciliation' }).getByText('No comparison yet.').waitFor()
})

test('the Finance page reports figures that do not add up', async () => {
  await page.route('**/operator/reports/daily*', async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: { ggr: string }[] }
    await route.fulfill({ json: { data: data.map((row) => ({ ...row, ggr: '1.00' })) } })
  })
  await at.see(`/money?day=${today()}`)
  await page.getByText('The figures do not add up. Run the audit').waitFor()
})

test('the Finance page has the players of a day with movements and balances, and compares the bets with the platform’s file', async () => {
  wallet.clock.advance(2 * DAY_MS)
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const { userId } = player
  const bet = (amount: number) => ({ userId, token: player.token, transactionId: randomUUID(), amount })
  const [right, wrong, ours] = [bet(10), bet(20), bet(30)]
  for (const one of [right, wrong, ours]) expect((await wallet.wire.place(one)).status).toBe(200)
  expect((await wallet.wire.settle({ ...right, amount: 25, resultType: 'won' })).status).toBe(200)
  await see(today())
  const players = page.getByRole('region', { name: 'Players of the day' })
  const cellsOf = () => players.getByRole('row').filter({ hasText: userId }).getByRole('cell').allTextContents()
  await expect
    .poll(async () => (await cellsOf()).slice(1))
    .toEqual(['EUR', '0.00', '100.00', '60.00', '25.00', '−35.00', '65.00'])
  const heads = await players.getByRole('columnheader').allTextContents()
  // without a refund, withdrawal or adjustment these columns are absent
  expect(heads).toEqual(['Player', 'Currency', 'Opening', 'Deposits', 'Stakes', 'Payouts', 'Net', 'Closing'])
  const theirs = [
    'betId,player,status,currency,stake,resultType,payout',
    `${right.transactionId},${userId},settled,EUR,10,won,25`,
    `${wrong.transactionId},${userId},settled,EUR,20,lost,0`,
    `${randomUUID()},${userId},open,EUR,5,,`,
  ]
  const books = page.getByRole('region', { name: 'Reconciliation' })
  await books.getByText('No comparison yet.').waitFor()
  const buffer = Buffer.from(theirs.join('\r\n'))
  await books.locator('input[type=file]').setInputFiles({ name: 'bets.csv', mimeType: 'text/csv', buffer })
  await books.getByText('The differences are listed below: compared with bets.csv').waitFor()
  const counts = await books.locator('.books > div').allTextContents()
  expect(counts).toEqual(['Matched1', 'Different1', 'Missing at platform1', 'Missing here1'])
  await books
    .getByRole('row')
    .filter({ hasText: 'Status differs' })
    .getByText('settled lost 0 EUR, stake 20 EUR')
    .waitFor()
  await expectAccessibleEverywhere(page, 'a day that was reconciled')
  await see(today())
  const empty = { name: 'bets.csv', mimeType: 'text/csv', buffer: Buffer.from('betId,player\r\n') }
  await books.locator('input[type=file]').setInputFiles(empty)
  await books.getByText('The comparison failed: bets.csv lacks the columns status, currency, stake').waitFor()
})
